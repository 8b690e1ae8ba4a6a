import type { NetworkInterfaceInfo } from 'node:os';

/** What the machine says where the configuration says nothing. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly hostName: string;
  readonly homeDirectory: string;
  readonly networkInterfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;
}
