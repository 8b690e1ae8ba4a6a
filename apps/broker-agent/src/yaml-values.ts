import { PermName } from '@rmqns/protocol';
import { z } from 'zod';
import { checkAddresses } from './namesrv-addresses.js';

/** What a map of keys is told that is none. */
export const NO_KEYS = 'must hold keys; leave it out for the defaults';

const UNIT_MILLIS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const PERM_BITS: Readonly<Record<string, number>> = { r: PermName.READ, w: PermName.WRITE, x: PermName.INHERIT };

/** `500ms`, `30s`, `1.5m`, `2h`, as milliseconds. */
export const duration = (minimumMillis: number, maximumMillis: number) =>
  z.string('is no duration; write a number and ms, s, m or h, for instance 30s').transform((text, context) => {
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
    const millis = Math.round(Number(number) * (UNIT_MILLIS[unit] ?? Number.NaN));
    if (Number.isNaN(millis)) {
      return fail(context, `"${text}" is no duration; write a number and ms, s, m or h, for instance 30s`);
    }
    if (millis >= minimumMillis && millis <= maximumMillis) return millis;
    return fail(context, `"${text}" is not between ${minimumMillis} ms and ${maximumMillis} ms`);
  });

/** `10%`, as a share from 0 to 1. */
export const percent = z.string('is no percentage; write 0% to 100%, for instance 10%').transform((text, context) => {
  const share = Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1] ?? Number.NaN) / 100;
  return share <= 1 ? share : fail(context, `"${text}" is no percentage; write 0% to 100%, for instance 10%`);
});

/** Letters of r, w and x, as bits of PermName. */
export const perm = z.string('must be letters of r, w and x, for instance rw').transform((text, context) => {
  let bits = 0;
  for (const letter of text) bits |= PERM_BITS[letter] ?? 16;
  return bits > 0 && bits < 16 ? bits : fail(context, `"${text}" is no permission; write letters of r, w and x`);
});

export const text = z.string('must be a text').regex(/\S/, 'is blank');
export const flag = z.boolean('must be true or false');
export const integer = (minimum: number, maximum: number) => {
  const range = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int(range).min(minimum, range).max(maximum, range);
};

function fail(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** A list of texts, a program and its arguments. */
export const words = z
  .array(z.string('must be a text'), 'must be a list, a program and its arguments')
  .refine(([program = '']) => program.trim() !== '', 'must name a program');

/** `host:port` to dial. */
export const socketAddress = text.transform((written, context) => {
  const { addresses, problems } = checkAddresses([written]);
  return addresses[0] ?? fail(context, problems[0] ?? 'is no host:port');
});

/** An absolute URL of http or https. */
export const httpUrl = text.refine((written) => {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '';
}, 'is no URL of http or https');
