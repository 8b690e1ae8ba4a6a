/** Bodies and the checks of their answers. Neighbours in flight differ, so that an answer given to the wrong call is seen. */

const KINDS = 26;
/** Every so many answers are compared whole; of the others length, first and last. */
const COMPARE_EVERY = 256;

/**
 * @param {{ method?: string, bytes?: number }} load
 * @param {{ carries: 'bytes' | 'text', object: 'native' | 'json' }} traits
 */
export function makePayloads(load, traits) {
  if (load.method === 'object') return Array.from({ length: KINDS }, (_, i) => objectPayload(i, traits.object));
  const kinds = load.bytes > 256 * 1024 ? 4 : KINDS;
  return Array.from({ length: kinds }, (_, i) =>
    traits.carries === 'text' ? textPayload(i, load.bytes) : bytesPayload(i, load.bytes),
  );
}

function bytesPayload(i, size) {
  const value = Buffer.alloc(size, 97 + i);
  let answers = 0;
  return {
    value,
    isAnswer(answer) {
      if (answer.length !== size) return false;
      if (size === 0) return true;
      if (answers++ % COMPARE_EVERY === 0) return value.equals(answer);
      return answer[0] === value[0] && answer[size - 1] === value[0];
    },
  };
}

function textPayload(i, size) {
  const value = String.fromCharCode(97 + i).repeat(size);
  let answers = 0;
  return {
    value,
    isAnswer(answer) {
      if (typeof answer !== 'string' || answer.length !== size) return false;
      if (size === 0) return true;
      if (answers++ % COMPARE_EVERY === 0) return answer === value;
      return answer.charCodeAt(0) === value.charCodeAt(0) && answer.charCodeAt(size - 1) === value.charCodeAt(0);
    },
  };
}

/** Ten texts and ten numbers. Bytes are made of it for each call, as an application would. */
function objectPayload(i, form) {
  const value = {};
  for (let field = 0; field < 10; field++) {
    value[`text${field}`] = `value ${field} of kind ${i}`;
    value[`number${field}`] = 1000 * i + field;
  }
  const isSame = (answer) => answer.number0 === value.number0 && answer.text9 === value.text9;
  if (form === 'native') return { value, isAnswer: isSame };
  return {
    get value() {
      return Buffer.from(JSON.stringify(value));
    },
    isAnswer: (answer) => isSame(JSON.parse(answer)),
  };
}
