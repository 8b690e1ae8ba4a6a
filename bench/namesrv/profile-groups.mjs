/** What a function of a profile is for. The first group whose pattern holds takes it; `where` is its module, or its kind where it has none. */
const GROUPS = [
  ['idle', /^\(idle\)$/],
  // The call that starts the profile, which tells V8's profiler of all code that there is.
  ['profiler', /^native dispatch$/],
  ['garbage collection', /^\(garbage collector\)$/],
  // Native code that no function of JavaScript called: libuv's loop, reading from the kernel, what V8 does for itself.
  ['kernel read, poll, libuv', /^\(program\)$/],
  ['kernel write', /^native (writev|writeBuffer|writeLatin1String|writeUtf8String|writeAsciiString)$/],
  ['checksum, digest, inflating', /^native (crc32|update|digest|Hash|hash|oneShotDigest|writeSync|write|inflate\w*)$/],
  [
    'frame',
    /^remoting\/(codec\/frame-(codec|splitter)|handler\/(frame-decoder|frame-budget|frame-deadline|read-backpressure)|buffer\/)/,
  ],
  ['header', /^remoting\/(codec\/(json-header-(scanner|shapes|codec)|rocketmq-header|plain-json)|json\/)/],
  ['answer', /^remoting\/(codec\/json-header-template|handler\/frame-encoder|channel\/outbound-buffer|command\/)/],
  ['pipeline', /^remoting\/(channel|rpc|handler|server|diagnostics|clock|tls)/],
  ['lookup and tables', /^namesrv\/(processor\/get-route|routeinfo\/(route|topic-queue|broker-addr|cluster))/],
  ['registration', /^(protocol\/|namesrv\/)/],
  ["Node's streams and net", /^node:/],
  ['copying and other built-in functions', /^native /],
];

/**
 * Self time by function and by group.
 *
 * @param {{ nodes: object[], samples: number[], timeDeltas: number[] }} profile of V8, in microseconds
 */
export function groupProfile({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const functions = new Map();
  const groups = new Map();
  let total = 0;
  samples.forEach((id, i) => {
    const { where, name } = describe(byId.get(id).callFrame);
    const micros = timeDeltas[i];
    const group = GROUPS.find(([, pattern]) => pattern.test(where))?.[0] ?? 'the rest';
    groups.set(group, (groups.get(group) ?? 0) + micros);
    if (group === 'idle' || group === 'profiler') return;
    total += micros;
    const key = `${name}  ${where}`;
    const known = functions.get(key) ?? { name, where, group, micros: 0 };
    known.micros += micros;
    functions.set(key, known);
  });
  const order = [...GROUPS.map(([group]) => group), 'the rest'];
  return {
    totalMicros: total,
    idleMicros: groups.get('idle') ?? 0,
    groups: order
      .filter((group) => group !== 'idle' && group !== 'profiler')
      .map((group) => ({ group, micros: groups.get(group) ?? 0 })),
    functions: [...functions.values()].sort((a, b) => b.micros - a.micros),
  };
}

function describe({ functionName, url }) {
  if (url === '') {
    const isKind = functionName.startsWith('(');
    return { name: functionName, where: isKind ? functionName : `native ${functionName}` };
  }
  const name = functionName === '' ? '(anonymous)' : functionName;
  const [, module] = /\/(?:packages|apps)\/(.*)\.js$/.exec(url) ?? [];
  return { name, where: module === undefined ? packageOf(url) : module.replace('dist/src/', '') };
}

/** Of another package only its name on: where it lies on this machine is nobody's business. */
function packageOf(url) {
  return url.replace(/^file:.*\/(?=node_modules\/)/, '');
}
