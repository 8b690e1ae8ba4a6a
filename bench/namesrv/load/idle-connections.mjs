import { once } from 'node:events';
import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.mjs';
import { FIRST_OPAQUE, routeRequest, setOpaque } from './requests.mjs';
import { RouteCheck } from './route-check.mjs';
import { topicName } from './topology.mjs';

const AT_ONCE = 50;

/** Opens connections, asks one route on each so that it is set up, and leaves them idle. */
export async function openIdleConnections(port, topology, count) {
  const check = new RouteCheck(topology);
  const sockets = [];
  const open = async (index) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    sockets.push(socket);
    await once(socket, 'connect');
    const topic = index % topology.topics;
    const request = routeRequest(topicName(topic), topology.version);
    setOpaque(request, FIRST_OPAQUE + index);
    const reader = new AnswerReader();
    await new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the server closed a connection')));
      socket.on('data', (chunk) => {
        try {
          reader.push(chunk, (code, _opaque, bytes, bodyAt, end) => {
            check.check(topic, code, bytes, bodyAt, end);
            resolve();
          });
        } catch (error) {
          reject(error);
        }
      });
      socket.write(request.frame);
    });
  };
  for (let i = 0; i < count; i += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - i) }, (_, j) => open(i + j)));
  return {
    /** How many are still open. */
    get open() {
      return sockets.filter(({ destroyed }) => !destroyed).length;
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
