import { isIPv4 } from 'node:net';
import type { Surroundings } from './surroundings.js';

/** An address of this machine, or why none can be taken. */
export type AutoAddress =
  | {
      readonly address: string;
      readonly interfaceName: string;
      /** The others that could have been taken, as `ADDRESS of INTERFACE`. */
      readonly others: readonly string[];
      readonly problem?: undefined;
    }
  | { readonly problem: string };

/** Bridges, pairs and tunnels that containers and virtual machines hang on: nobody outside this machine reaches their addresses. */
const CONTAINER_INTERFACES: readonly RegExp[] = [
  // Docker and Podman; bridges of networks that users make have 12 digits.
  /^(?:docker|podman)/,
  /^br-[0-9a-f]{12}$/,
  // One end of a pair whose other end is in a container.
  /^(?:veth|vnet|cali|lxc|tap)/,
  // Networks of Kubernetes, and the addresses of its services.
  /^(?:cni|flannel|cilium|weave|vxlan|kube-|nodelocaldns|antrea|ovn)/,
  // Virtual machines on this one.
  /^(?:virbr|lxdbr|vboxnet|vmnet|incusbr)/,
];

/**
 * The IPv4 address that others can dial, or the IPv6 one where there is no other: of the named interface, or of the first that is neither
 * loopback nor of containers. Those two are refused even by name, since no client could use them, and so are addresses that hold on one
 * link only. An interface is known by its name: 172.17.0.2 on `eth0` is where a container is dialled.
 */
export function autoAddress(interfaces: Surroundings['networkInterfaces'], wanted?: string): AutoAddress {
  const names = Object.keys(interfaces);
  if (wanted !== undefined && interfaces[wanted] === undefined)
    return { problem: `this machine has no interface ${wanted}, only ${names.join(', ') || 'none'}` };
  const usable = names
    .filter((name) => wanted === undefined || name === wanted)
    .filter((name) => !CONTAINER_INTERFACES.some((pattern) => pattern.test(name)))
    .flatMap((interfaceName) => (interfaces[interfaceName] ?? []).map((info) => ({ ...info, interfaceName })))
    .filter(({ internal, address }) => !internal && !isLinkLocal(address));
  const chosen = usable.find(({ address }) => isIPv4(address)) ?? usable[0];
  if (chosen !== undefined) {
    const others = usable.filter((each) => each !== chosen);
    return {
      address: chosen.address,
      interfaceName: chosen.interfaceName,
      others: others.map(({ address, interfaceName }) => `${address} of ${interfaceName}`),
    };
  }
  const where = wanted === undefined ? 'this machine' : `interface ${wanted}`;
  return { problem: `${where} has no address that others can dial (loopback and container bridges do not count)` };
}

/** What was taken, in words. */
export function describeAutoAddress({
  address,
  interfaceName,
  others,
}: Extract<AutoAddress, { address: string }>): string {
  const taken = `took ${address} of interface ${interfaceName}`;
  return others.length === 0 ? taken : `${taken}, there are also ${others.join(', ')}`;
}

/** fe80::/10 and 169.254.0.0/16. */
function isLinkLocal(address: string): boolean {
  return /^fe[89ab][0-9a-f]:/i.test(address) || /^169\.254\./.test(address);
}
