export type { ChannelOptions } from './channel/abstract-channel.js';
export { AddressRange } from './channel/address-range.js';
export type { Channel } from './channel/channel.js';
export type { ChannelHandler, WriteListener } from './channel/channel-handler.js';
export type { ChannelHandlerContext } from './channel/channel-handler-context.js';
export type { ChannelInboundInvoker } from './channel/channel-inbound-invoker.js';
export type { ChannelPipeline } from './channel/channel-pipeline.js';
export { isReadResumedEvent, type ReadResumedEvent } from './channel/read-resumed-event.js';
export { formatSocketAddress, parseSocketAddress, type SocketAddress } from './channel/socket-address.js';
export { type ChannelSocket, SocketChannel, type SocketChannelOptions } from './channel/socket-channel.js';
export { WriteBufferWaterMark, type WriteBufferWaterMarkOptions } from './channel/write-buffer-water-mark.js';
export type { ConnectFailure } from './client/channel-table.js';
export type { ClientChannelDescription, ClientDescription } from './client/client-description.js';
export type { RemotingClientOptions } from './client/client-options.js';
export type { ClientCloseOptions, CloseReport } from './client/close-report.js';
export type { ConnectOptions, RefreshOptions } from './client/connect-options.js';
export type { CreateConnection } from './client/create-connection.js';
export { RemotingClient } from './client/remoting-client.js';
export type { SocksProxyConfig, SocksProxyMap } from './client/socks-proxies.js';
export { type Clock, systemClock, type Timer } from './clock.js';
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
export {
  type ConnectTrace,
  type HandleOutcome,
  type HandleTrace,
  type RequestTrace,
  TracingChannelName,
} from './diagnostics.js';
export {
  type CallPhase,
  type CallTimings,
  ClosedError,
  CommandError,
  type CommandErrorOptions,
  ConnectError,
  DecodeError,
  DecodeErrorKind,
  type DecodeErrorOptions,
  FrameTooLargeError,
  RemotingError,
  RemotingErrorCode,
  type RemotingErrorOptions,
  SendError,
  TimeoutError,
  TooManyRequestsError,
} from './errors.js';
export {
  ConnectionEvent,
  ConnectionEvents,
  type ConnectionListener,
} from './handler/connection-events.js';
export {
  FrameDecoder,
  type FrameDecoderOptions,
  type FrameInterceptor,
  isTruncatedFrameEvent,
  type TruncatedFrameEvent,
} from './handler/frame-decoder.js';
export { FrameEncoder, type FrameEncoderOptions } from './handler/frame-encoder.js';
export { FrameLogger, type FrameLoggerOptions } from './handler/frame-logger.js';
export {
  IdleState,
  type IdleStateEvent,
  IdleStateHandler,
  type IdleStateHandlerOptions,
  isIdleStateEvent,
} from './handler/idle-state-handler.js';
export {
  ProxyProtocolAttribute,
  ProxyProtocolDecoder,
  type ProxyProtocolDecoderOptions,
} from './handler/proxy-protocol-decoder.js';
export { ReadBackpressure, type ReadBackpressureOptions } from './handler/read-backpressure.js';
export { TlsDetector, type TlsDetectorOptions } from './handler/tls-detector.js';
export {
  isTlsHandshakeEvent,
  TlsHandler,
  type TlsHandlerOptions,
  type TlsHandshakeEvent,
} from './handler/tls-handler.js';
export { type Logger, silentLogger } from './logger.js';
export type { AbstractRemoting, CallKind } from './rpc/abstract-remoting.js';
export { AclClientRpcHook, type AclClientRpcHookOptions, type AclCredentials } from './rpc/acl-client-rpc-hook.js';
export { AclServerRpcHook, type AclServerRpcHookOptions } from './rpc/acl-server-rpc-hook.js';
export type { ClientCall, ClientInterceptor } from './rpc/call-interceptor.js';
export type { CallParent } from './rpc/call-within.js';
export type { ConnectionEventMap } from './rpc/connection-event-map.js';
export type {
  ChannelDescription,
  CommandDescription,
  CoreDescription,
  PermitsDescription,
  QueueDescription,
} from './rpc/core-description.js';
export type { CommandName, ServerCall, ServerInterceptor } from './rpc/interceptor.js';
export type { RemotingCounters } from './rpc/remoting-counters.js';
export { DEADLINE_FIELD } from './rpc/request-deadline.js';
export type { ProcessorResult, RequestContext, RequestProcessor } from './rpc/request-processor.js';
export type { InvokeCallback } from './rpc/response-future.js';
export type { RpcHook } from './rpc/rpc-hook.js';
export type { CallOptions, CallOptionsParameter, CallResult, InvokeOptions } from './rpc/typed-call.js';
export type { TypedHandler, TypedRequest, TypedResponse } from './rpc/typed-processor.js';
export { WorkQueue, type WorkQueueOptions } from './rpc/work-queue.js';
export {
  type AcceptOptions,
  type CloseOptions,
  RemotingServer,
  type ServerCloseReport,
  type StartOptions,
} from './server/remoting-server.js';
export type { ServerDescription } from './server/server-description.js';
export type { RemotingServerOptions } from './server/server-options.js';
export { TlsClientContext, type TlsClientRules } from './tls/tls-client-context.js';
export type { TlsContext, TlsMaterial, TlsOpened } from './tls/tls-context.js';
export type { TlsReloadEvent } from './tls/tls-context-provider.js';
export { TlsError } from './tls/tls-error.js';
export {
  NeedClientAuth,
  type TlsClientOptions,
  type TlsFileOptions,
  TlsMode,
  type TlsServerOptions,
} from './tls/tls-options.js';
export {
  DEFAULT_TLS_CONFIG_FILE,
  type TlsProperties,
  type TlsPropertyOptions,
  tlsConfigFile,
  tlsOptionsFromProperties,
} from './tls/tls-properties.js';
export { TlsServerContext, type TlsServerRules } from './tls/tls-server-context.js';
