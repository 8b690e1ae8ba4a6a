export {
  type ApacheBroker,
  type ApacheJars,
  type ApacheNameServer,
  ApacheProcesses,
  type ApacheProxy,
  type ApacheSettings,
  type ApacheVersion,
  apacheVersions,
} from './apache.js';
export { CapturedProcess, type CapturedProcessOptions, type ProcessExit } from './captured-process.js';
export { type CertificateFiles, type Certificates, createCertificates } from './certificates.js';
export { type EventuallyOptions, eventually } from './eventually.js';
export { type Fault, FaultProxy, type FaultProxyClock } from './fault-proxy.js';
export { freePort } from './free-port.js';
export { canonicalJson, hasBareNames, type Json, parseLenientJson } from './lenient-json.js';
export { NameServerProcess, type NameServerProcessOptions } from './name-server-process.js';
export { repositoryRoot } from './repository-root.js';
export { TemporaryDirectory } from './temporary-directory.js';
export { timed } from './timed.js';
export { requireInterop, useApache } from './use-apache.js';
export {
  listTranscripts,
  loadStorageNodeVectors,
  loadTranscript,
  loadVectors,
  type StorageNodeVector,
  type Transcript,
  type TranscriptLine,
  type Vector,
  type VectorHeader,
  type VectorMessage,
  vectorsDirectory,
} from './vectors.js';
export { WireClient } from './wire-client.js';
export {
  decodeWireFrame,
  encodeWireRequest,
  splitFrames,
  type WireFrame,
  type WireHeader,
  type WireRequest,
} from './wire-frame.js';
