import { expect } from 'chai';
import fc from 'fast-check';
import { HandedOutRoutes } from '../../src/workers/handed-out-routes.js';
import { type RouteAnswer, RouteCopies } from '../../src/workers/route-copies.js';

/** What the model does next: something changes, is asked for, or a lane delivers. */
type Step =
  | { readonly kind: 'change'; readonly topic: string }
  | { readonly kind: 'changeAll' }
  | { readonly kind: 'lookup'; readonly worker: number; readonly topic: string }
  | { readonly kind: 'deliver'; readonly worker: number; readonly to: 'owner' | 'worker'; readonly chunk: number };

const topicNames = ['A', 'B', 'C'];
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The owner with its table of versions, and workers behind lanes that deliver in order and when they are told to. */
class Model {
  readonly wrong: string[] = [];
  readonly #versions = new Map(topicNames.map((topic) => [topic, 0]));
  /** The version of each topic that the last answered change has made. */
  readonly #acknowledged = new Map(topicNames.map((topic) => [topic, 0]));
  readonly #routes = new HandedOutRoutes();
  readonly #workers = [0, 1].map(() => this.#worker());

  run(step: Step): void {
    if (step.kind === 'change') this.#change([step.topic], () => this.#routes.invalidate(step.topic));
    else if (step.kind === 'changeAll') this.#change(topicNames, () => this.#routes.invalidateAll());
    else if (step.kind === 'lookup') this.#lookup(step.worker, step.topic);
    else this.#deliver(step);
  }

  /** Everything arrives; then every worker shows what the owner has. */
  async end(): Promise<void> {
    await this.#deliverAll();
    for (const worker of this.#workers.keys()) for (const topic of topicNames) this.#lookup(worker, topic, true);
    await this.#deliverAll();
  }

  #worker() {
    const toWorker: (() => void)[] = [];
    const toOwner: (() => void)[] = [];
    const copies = new RouteCopies();
    const holder = this.#routes.add(
      (topics) =>
        new Promise((resolve) => {
          toWorker.push(() => {
            if (topics === 'all') copies.forgetAll();
            else copies.forget(topics);
            toOwner.push(resolve);
          });
        }),
    );
    return { toWorker, toOwner, copies, holder };
  }

  #deliver({ worker, to, chunk }: Extract<Step, { readonly kind: 'deliver' }>): void {
    const lanes = this.#workers[worker];
    const lane = to === 'owner' ? lanes?.toOwner : lanes?.toWorker;
    for (const arrive of lane?.splice(0, chunk) ?? []) arrive();
  }

  #change(changed: readonly string[], invalidate: () => void): void {
    const made = changed.map((topic) => [topic, (this.#versions.get(topic) ?? 0) + 1] as const);
    for (const [topic, version] of made) this.#versions.set(topic, version);
    invalidate();
    const acknowledge = (): void => {
      for (const [topic, version] of made)
        this.#acknowledged.set(topic, Math.max(version, this.#acknowledged.get(topic) ?? 0));
    };
    const settled = this.#routes.settled();
    if (settled === undefined) acknowledge();
    else void settled.then(acknowledge);
  }

  #lookup(index: number, topic: string, isLast = false): void {
    const worker = this.#workers[index];
    if (worker === undefined) return;
    const least = (isLast ? this.#versions : this.#acknowledged).get(topic) ?? 0;
    const check = (body: Buffer | undefined): void => {
      const shown = Number(body?.toString());
      if (!(shown >= least)) this.wrong.push(`${topic} of worker ${index}: ${shown}, but ${least} was acknowledged`);
    };
    const kept = worker.copies.get(topic, 'standard');
    if (kept !== undefined) {
      check(kept);
      return;
    }
    const ask = (): Promise<RouteAnswer> =>
      new Promise((resolve) => {
        worker.toOwner.push(() => {
          const body = Buffer.from(String(this.#versions.get(topic)));
          this.#routes.handOut(worker.holder, topic);
          worker.toWorker.push(() => resolve({ code: 0, remark: undefined, body, mayKeep: true }));
        });
      });
    void worker.copies.ask(topic, 'standard', ask).then(({ body }) => check(body));
  }

  async #deliverAll(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      for (const { toOwner, toWorker } of this.#workers)
        for (const arrive of [...toOwner.splice(0), ...toWorker.splice(0)]) arrive();
      await turn();
    }
  }
}

describe('workers with copies of routes', () => {
  it('never show an older route than the last change whose request was answered, and in the end the latest', async () => {
    const topic = fc.constantFrom(...topicNames);
    const worker = fc.nat(1);
    const step: fc.Arbitrary<Step> = fc.oneof(
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), topic }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('changeAll' as const) }) },
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('lookup' as const), worker, topic }) },
      {
        weight: 8,
        arbitrary: fc.record({
          kind: fc.constant('deliver' as const),
          worker,
          to: fc.constantFrom('owner' as const, 'worker' as const),
          chunk: fc.integer({ min: 1, max: 3 }),
        }),
      },
    );
    // Whether promise jobs run between two steps: they do not within one chunk of a lane.
    const steps = fc.array(fc.tuple(step, fc.boolean()), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const model = new Model();
        for (const [each, turns] of sequence) {
          model.run(each);
          if (turns) await turn();
        }
        await model.end();
        expect(model.wrong).to.deep.equal([]);
      }),
      { numRuns: 200 },
    );
  });
});
