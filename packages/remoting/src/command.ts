export { type DescribeFrameOptions, describeFrame } from './codec/describe-frame.js';
export { decodeFrame, encodeFrame } from './codec/frame-codec.js';
export { FrameSplitter } from './codec/frame-splitter.js';
export { bodyPieces, joinBodyInSteps, releaseBody } from './command/body-pieces.js';
export { CommandFlag } from './command/command-flag.js';
export { type CompressedBodyOptions, compressed } from './command/compressed-body.js';
export {
  decodeHeader,
  encodeHeader,
  type HeaderInput,
  type HeaderOutput,
  type HeaderSchema,
} from './command/custom-header.js';
export {
  type BodyCodec,
  bytes,
  type CommandDefinition,
  type CommandDefinitionInit,
  defineCommand,
  type NoHeader,
} from './command/define-command.js';
export { type HeaderField, type RequiredHeaderField, t } from './command/header-field.js';
export { json } from './command/json-body.js';
export { isLanguageName, LanguageCode, type LanguageName, languageName } from './command/language-code.js';
export { OpaqueGenerator } from './command/opaque-generator.js';
export { optionalBody } from './command/optional-body.js';
export {
  createExtFields,
  type ExtFields,
  RemotingCommand,
  type RemotingCommandInit,
} from './command/remoting-command.js';
export { SerializeType } from './command/serialize-type.js';
export { text } from './command/text-body.js';
export { DecodeError, RemotingError } from './errors.js';
