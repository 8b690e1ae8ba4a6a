import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { repositoryRoot, TemporaryDirectory } from '@rmqns/test-kit';
import { expect } from 'chai';

const run = promisify(execFile);

interface LatencyPercentiles {
  record(millis: number): void;
  percentile(share: number): number | undefined;
}

interface Checks {
  check(topic: number, code: number, bytes: Buffer, bodyAt: number, end: number): void;
}

interface Grouped {
  readonly totalMicros: number;
  readonly idleMicros: number;
  readonly groups: readonly { group: string; micros: number }[];
  readonly functions: readonly object[];
}

async function load<Module>(path: string): Promise<Module> {
  return (await import(pathToFileURL(join(repositoryRoot, 'bench', path)).href)) as Module;
}

describe('the benchmark', () => {
  it('measures what needs no other package, and ends', async function () {
    this.timeout(60_000);

    const arguments_ = ['bench/rpc/main.mjs', '--smoke', '--peers', 'bare,rmqns-typed-watched', '--shapes', '2x4'];
    const { stdout } = await run(process.execPath, arguments_, { cwd: repositoryRoot, timeout: 50_000 });

    expect(stdout).to.match(/^\| rmqns-typed-watched \| +[\d.]+k? +\|/m);
  });

  it('refuses arguments that cannot be, and says what can', async () => {
    const failure = await run(process.execPath, ['bench/rpc/main.mjs', '--peers', 'nobody'], {
      cwd: repositoryRoot,
    }).then(
      () => undefined,
      (error: { code: number; stderr: string }) => error,
    );

    expect(failure?.code).to.equal(2);
    expect(failure?.stderr).to.match(/^bench:rpc: --peers: nobody is none of bare, /);
  });

  it('of registering measures every case, and writes what it found twice', async function () {
    this.timeout(60_000);
    await using directory = await TemporaryDirectory.create();

    const arguments_ = ['bench/agent/main.mjs', '--topics', '20', '--rounds', '1', '--out', directory.path];
    const { stdout } = await run(process.execPath, arguments_, { cwd: repositoryRoot, timeout: 50_000 });

    const [json = '', markdown = ''] = (await readdir(directory.path)).sort();
    expect([json, markdown].map((name) => name.replace(/\d/g, '0'))).to.deep.equal([
      'agent-00000000-0000.json',
      'agent-00000000-0000.md',
    ]);
    expect(await readFile(join(directory.path, markdown), 'utf8')).to.equal(stdout);
    const { cases } = JSON.parse(await readFile(join(directory.path, json), 'utf8')) as {
      cases: { samples: object[] }[];
    };
    expect(cases).to.have.lengthOf(4);
    for (const { samples } of cases)
      expect(samples[0]).to.have.all.keys('millis', 'bytes', 'agentCpuMillis', 'serverCpuMillis');
  });

  it('knows percentiles within 1.6 %', async () => {
    const { Latencies } = await load<{ Latencies: new () => LatencyPercentiles }>('harness/latencies.mjs');
    const latencies = new Latencies();
    for (let micros = 1; micros <= 100_000; micros++) latencies.record(micros / 1000);

    for (const share of [0.001, 0.5, 0.99, 0.999]) {
      expect(latencies.percentile(share)).to.be.closeTo(share * 100_000, share * 1600 + 0.1);
    }
  });

  it('measures the name server beside fixed answers, and ends', async function () {
    this.timeout(60_000);

    const arguments_ = ['bench/namesrv/main.mjs', '--only', 'start', '--rounds', '1', '--no-write'];
    const { stdout } = await run(process.execPath, arguments_, { cwd: repositoryRoot, timeout: 50_000 });

    expect(stdout).to.match(/^\| start \| rmqns +\| +[\d.]+k? +\|/m);
    expect(stdout).to.match(/^\| +\| fixed answers +\| +[\d.]+k? +\|/m);
  });

  it('takes no wrong route for an answer', async () => {
    const { RouteCheck } = await load<{ RouteCheck: new (topology: object) => Checks }>('namesrv/load/route-check.mjs');
    const { Topology } = await load<{ Topology: new (options: object) => object }>('namesrv/load/topology.mjs');
    const route = (queues: number, brokerName = 'broker-0000'): Buffer =>
      Buffer.from(
        JSON.stringify({
          brokerDatas: [{ brokerAddrs: { 0: '127.0.0.1:20000' }, brokerName: 'broker-0000', cluster: 'bench-cluster' }],
          queueDatas: [{ brokerName, perm: 6, readQueueNums: queues, writeQueueNums: queues }],
        }),
      );
    const answers = new RouteCheck(new Topology({ topics: 1 }));
    const check = (code: number, body: Buffer): void => answers.check(0, code, body, 0, body.length);

    check(0, route(8));
    check(0, Buffer.from(route(8).toString().replace('"0":', '0:')));
    expect(() => check(0, route(7))).to.throw('the route of bench-topic-000000 has 7 and 7 queues');
    expect(() => check(0, route(8, 'broker-0001'))).to.throw('has no broker-0000');
    expect(() => check(17, Buffer.alloc(0))).to.throw('was answered with 17');
  });

  it('tells from a profile what time is for, and leaves out what is not the server at work', async () => {
    const { groupProfile } = await load<{ groupProfile: (profile: object) => Grouped }>('namesrv/profile-groups.mjs');
    const node = (id: number, functionName: string, url = '') => ({ id, callFrame: { functionName, url } });
    const nodes = [
      node(1, '(idle)'),
      node(2, 'writev'),
      node(3, 'channelRead', 'file:///x/packages/remoting/dist/src/handler/frame-decoder.js'),
      node(4, 'dispatch'),
      node(5, 'onStreamRead', 'node:internal/stream_base_commons'),
    ];
    const samples = [1, 2, 3, 3, 4, 5];
    const { totalMicros, idleMicros, groups, functions } = groupProfile({
      nodes,
      samples,
      timeDeltas: [90, 10, 20, 20, 70, 5],
    });

    expect({ totalMicros, idleMicros }).to.deep.equal({ totalMicros: 55, idleMicros: 90 });
    expect(groups.filter(({ micros }) => micros > 0)).to.deep.equal([
      { group: 'kernel write', micros: 10 },
      { group: 'frame', micros: 40 },
      { group: "Node's streams and net", micros: 5 },
    ]);
    expect(functions[0]).to.include({ name: 'channelRead', where: 'remoting/handler/frame-decoder', micros: 40 });
  });

  it('says of each thing to be reached whether it was, by the median of the rounds’ own ratios', async () => {
    const { judge } = await load<{ judge: (ours: string, measured: object) => object[] }>('peers/bars.mjs');
    const samples = { ours: [{ cpu: 2 }, { cpu: 9 }, { cpu: 3 }], theirs: [{ cpu: 10 }, { cpu: 10 }, { cpu: 10 }] };
    const bars = [
      { figure: 'cpu', title: 'CPU', other: 'theirs', op: '<=', limit: 0.25 },
      { figure: 'cpu', title: 'CPU', op: '<=', limit: 3 },
    ];

    const [ratio, own] = judge('ours', { label: 'a load', samples, bars });
    expect(ratio).to.include({ value: 0.3, holds: false });
    expect(own).to.include({ value: 3, holds: true });
  });

  it('fits a straight line', async () => {
    const { fitLine } = await load<{ fitLine: (points: [number, number][]) => object }>('namesrv/fit.mjs');
    const { base, each, error } = fitLine([1, 10, 1_000].map((x) => [x, 3 + 2 * x])) as Record<string, number>;

    expect(base).to.be.closeTo(3, 1e-6);
    expect(each).to.be.closeTo(2, 1e-6);
    expect(error).to.be.closeTo(0, 1e-6);
  });
});
