/** Questions and answers between a process and its child, over Node's IPC channel. One question at a time is enough here, but several work. */

/**
 * The asking half.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} name for errors
 */
export function asker(child, name) {
  const waiting = new Map();
  let nextId = 0;
  let ended;
  const failAll = (reason) => {
    ended ??= new Error(`${name} ${reason}`);
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  child.on('message', ({ id, error, answer }) => {
    const question = waiting.get(id);
    if (question === undefined) return;
    waiting.delete(id);
    if (error === undefined) question.resolve(answer);
    else question.reject(new Error(`${name}: ${error}`));
  });
  child.on('error', (error) => failAll(`could not be started: ${error.message}`));
  child.on('exit', (code, signal) => failAll(`ended with ${signal ?? code}`));

  /** Asks, and gives up after a time: a peer that hangs must not hold up the others. */
  return function ask(what, details = {}, timeoutMillis = 30_000) {
    if (ended !== undefined) return Promise.reject(ended);
    const id = nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`${name} gave no answer to '${what}' within ${timeoutMillis} ms`));
      }, timeoutMillis);
      const settle = (end) => (value) => {
        clearTimeout(timer);
        end(value);
      };
      waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      child.send({ id, what, details }, (error) => {
        if (error === null) return;
        waiting.delete(id);
        clearTimeout(timer);
        reject(error);
      });
    });
  };
}

/**
 * The answering half. The process ends when its parent does, whatever the peer in it still holds open.
 *
 * @param {Record<string, (details: any) => unknown>} answers by question
 */
export function answerQuestions(answers) {
  process.on('message', async ({ id, what, details }) => {
    try {
      process.send({ id, answer: await answers[what](details) });
    } catch (error) {
      process.send({ id, error: describeError(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
}

/** One line, also for what is not an Error. */
export function describeError(error) {
  if (!(error instanceof Error)) return typeof error === 'object' ? JSON.stringify(error) : String(error);
  const code = error.code === undefined || error.message.includes(String(error.code)) ? '' : `${error.code}: `;
  return `${code}${error.message}`.split('\n')[0].slice(0, 200);
}
