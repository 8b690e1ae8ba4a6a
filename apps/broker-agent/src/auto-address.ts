import type { Surroundings } from './surroundings.js';

/** An address of this machine, or why none can be taken. */
export type AutoAddress =
  | { readonly address: string; readonly interfaceName: string; readonly problem?: undefined }
  | { readonly problem: string };

/** Bridges and pairs that containers hang on: nobody outside this machine reaches their addresses. */
const CONTAINER_INTERFACE = /^(?:docker|br-|veth|virbr|cni|flannel|cali|podman|lxc|lxd)/;

/**
 * The IPv4 address that others can dial, or the IPv6 one where there is no other: of the named interface, or of the first that is neither
 * loopback nor a container bridge. Those two are refused even by name, since no client could use them.
 */
export function autoAddress(interfaces: Surroundings['networkInterfaces'], wanted?: string): AutoAddress {
  const names = Object.keys(interfaces);
  if (wanted !== undefined && interfaces[wanted] === undefined)
    return { problem: `this machine has no interface ${wanted}, only ${names.join(', ') || 'none'}` };
  const usable = names
    .filter((name) => (wanted === undefined || name === wanted) && !CONTAINER_INTERFACE.test(name))
    .flatMap((interfaceName) => (interfaces[interfaceName] ?? []).map((info) => ({ ...info, interfaceName })))
    .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address));
  const chosen = usable.find(({ family }) => family === 'IPv4') ?? usable[0];
  if (chosen !== undefined) return { address: chosen.address, interfaceName: chosen.interfaceName };
  const where = wanted === undefined ? 'this machine' : `interface ${wanted}`;
  return { problem: `${where} has no address that others can dial (loopback and container bridges do not count)` };
}
