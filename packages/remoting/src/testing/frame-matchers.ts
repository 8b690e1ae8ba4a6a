import { type ComparedFrame, type FrameComparison, frameDifferences } from './frame-differences.js';

/** What this plugin needs of chai, so that the package needs no chai. */
interface ChaiLike {
  readonly Assertion: {
    addMethod(name: string, method: (this: object, golden: ComparedFrame, comparison?: FrameComparison) => void): void;
  };
}

interface AssertionLike {
  readonly _obj: ComparedFrame;
  assert(holds: boolean, message: string, negatedMessage: string): void;
}

declare global {
  namespace Chai {
    interface Assertion {
      /** Says what differs, field by field; the order of header members is not compared. From `@rmqns/remoting/testing`. */
      equalFrame(golden: ComparedFrame, comparison?: FrameComparison): void;
    }
  }
}

/**
 * A plugin for chai: after `use(frameMatchers)`, `expect(frame).to.equalFrame(golden)` compares two frames (or commands) and names what
 * differs. `equalFrame(golden, { ignore: ['opaque', 'version'] })` leaves fields out.
 */
export function frameMatchers(chai: ChaiLike): void {
  chai.Assertion.addMethod('equalFrame', function equalFrame(golden, comparison) {
    const assertion = this as AssertionLike;
    const differences = frameDifferences(assertion._obj, golden, comparison);
    assertion.assert(
      differences.length === 0,
      `expected the frame to equal the golden one, but:\n  ${differences.join('\n  ')}`,
      'expected the frame to differ from the golden one',
    );
  });
}
