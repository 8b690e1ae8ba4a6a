import type { Surroundings } from '../src/surroundings.js';

const address = (text: string, internal = false) => ({
  address: text,
  family: 'IPv4' as const,
  internal,
  netmask: '255.0.0.0',
  mac: '00:00:00:00:00:00',
  cidr: null,
});

/** A machine named `node-7` at 10.1.2.3, with containers. */
export const surroundings: Surroundings = {
  variables: {},
  hostName: 'node-7',
  homeDirectory: '/home/rocketmq',
  networkInterfaces: {
    lo: [address('127.0.0.1', true)],
    docker0: [address('172.17.0.1')],
    eth0: [address('10.1.2.3')],
    eth1: [address('192.168.0.9')],
  },
};
