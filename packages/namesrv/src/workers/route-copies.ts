import { ownString } from '../routeinfo/own-string.js';

/** The answer to a route lookup, as the owner of the tables gives it. */
export interface RouteAnswer {
  readonly code: number;
  readonly remark: string | undefined;
  /** The encoded route. */
  readonly body: Buffer | undefined;
  /** Whether the owner says when it is not good any more; only such an answer is kept. */
  readonly mayKeep: boolean;
}

/** The two ways in which clients ask for a route; what else can make answers differ is not kept. */
export type AskedDialect = 'standard' | 'legacy';

/** Answers of one dialect. */
class Dialect {
  readonly kept = new Map<string, Buffer>();
  /** Questions that are on their way to the owner. */
  readonly asking = new Map<string, Promise<RouteAnswer>>();

  forget(topic: string): void {
    this.kept.delete(topic);
    // What was asked before the change is not good for those who ask after it, nor to be kept.
    this.asking.delete(topic);
  }

  forgetAll(): void {
    this.kept.clear();
    this.asking.clear();
  }
}

/**
 * Copies of the owner's encoded routes, in a process that serves lookups. A copy is kept until the owner says that it is not good any more;
 * lookups of a route of which there is none share one question to the owner.
 */
export class RouteCopies {
  readonly #dialects: Readonly<Record<AskedDialect, Dialect>> = { standard: new Dialect(), legacy: new Dialect() };

  /** The number of copies. */
  get size(): number {
    const { standard, legacy } = this.#dialects;
    return standard.kept.size + legacy.kept.size;
  }

  get(topic: string, dialect: AskedDialect): Buffer | undefined {
    return this.#dialects[dialect].kept.get(topic);
  }

  /** The answer of a question under way, or of the one that `ask` begins. Fails as that does. */
  ask(topic: string, dialect: AskedDialect, ask: () => Promise<RouteAnswer>): Promise<RouteAnswer> {
    const { kept, asking } = this.#dialects[dialect];
    const running = asking.get(topic);
    if (running !== undefined) return running;
    const question = ask().then(
      (answer) => {
        // Another one, or none, is there when the owner has said meanwhile that the route changes.
        if (asking.get(topic) !== question) return answer;
        asking.delete(topic);
        if (answer.mayKeep && answer.body !== undefined) kept.set(ownString(topic), answer.body);
        return answer;
      },
      (error: unknown) => {
        if (asking.get(topic) === question) asking.delete(topic);
        throw error;
      },
    );
    asking.set(topic, question);
    return question;
  }

  forget(topics: Iterable<string>): void {
    for (const topic of topics) {
      this.#dialects.standard.forget(topic);
      this.#dialects.legacy.forget(topic);
    }
  }

  forgetAll(): void {
    this.#dialects.standard.forgetAll();
    this.#dialects.legacy.forgetAll();
  }
}
