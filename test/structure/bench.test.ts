import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { repositoryRoot } from '@rmqns/test-kit';
import { expect } from 'chai';

const run = promisify(execFile);

interface LatencyPercentiles {
  record(millis: number): void;
  percentile(share: number): number | undefined;
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

  it('knows percentiles within 1.6 %', async () => {
    const url = pathToFileURL(join(repositoryRoot, 'bench/rpc/latencies.mjs'));
    const { Latencies } = (await import(url.href)) as { Latencies: new () => LatencyPercentiles };
    const latencies = new Latencies();
    for (let micros = 1; micros <= 100_000; micros++) latencies.record(micros / 1000);

    for (const share of [0.001, 0.5, 0.99, 0.999]) {
      expect(latencies.percentile(share)).to.be.closeTo(share * 100_000, share * 1600 + 0.1);
    }
  });
});
