/** The cards of the simulated gateway, by number: what the bank of each card says. */

/** `code`: the action code. `isFinal`: the gateway declines the order at once, also with tries left. `charge`: the code of later charges. */
export type SimCard = { code: number; isFinal?: true; charge?: number }

export const CARDS: Readonly<Record<string, SimCard>> = {
  '4111111111111111': { code: 0 },
  '5555555555554444': { code: 0 },
  '4000000000000101': { code: 101 },
  '4000000000000116': { code: 116 },
  '4000000000000208': { code: 208 },
  '4000000000000907': { code: 907 },
  // A code that no table has.
  '4000000000000777': { code: 777 },
  '4000000000000999': { code: 999, isFinal: true },
  // The buyer does not pass the challenge of 3-D Secure, or presses Cancel there.
  '4000000000002004': { code: -2004, isFinal: true },
  '4000000000002014': { code: -2014, isFinal: true },
  // Saved like any other, and then without money.
  '4000000000009116': { code: 0, charge: 116 },
  '4000000000009101': { code: 0, charge: 101 },
}

export const GOOD_CARD = '4111111111111111'
export const EMPTY_CARD = '4000000000000116'
export const LATER_EMPTY_CARD = '4000000000009116'

export const maskedPan = (number: string) => `${number.slice(0, 6)}**${number.slice(-4)}`
