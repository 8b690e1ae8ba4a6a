import type { NetworkInterfaceInfo } from 'node:os';

/** What the machine says where the configuration says nothing. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly hostName: string;
  /** `undefined`: the user has none, as in a container under a number that no account has. */
  readonly homeDirectory: string | undefined;
  /** Empty where this process may not ask. */
  readonly networkInterfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;
}
