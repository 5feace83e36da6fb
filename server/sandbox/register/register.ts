/**
 * The simulated cash register. It has consecutive numbers and its own records. It does not recognize a repeated order: the same
 * order sent twice is printed twice. Like real registers, it accepts only rising sequence numbers.
 */
import type { Printed, RegisterOrder } from '../../providers/fiscal/sandbox/wire.ts'
import { hooksOf } from '../faults.ts'
import { type RefusesOrder, registerHooksOf } from './faults.ts'

/** An order with the name of the register that it was sent to. */
export type TakenOrder = Omit<RegisterOrder, 'fault' | 'paymentFault'> & { register: string }

/** What the register knows when an order comes in. */
export type RegisterState = {
  lastSequence: number
  lastNumber: number
  /** What was ordered under this reference before, printed or not. */
  known: boolean
  /** The amount of the sale that the order names, and how much of it has been refunded. Null: there is no such sale. */
  sale: { amountMinor: number; returnedMinor: number } | null
}

/**
 * Where the register stores its orders. `decide` runs under its lock. It returns the number to print, or null to store the
 * order unprinted.
 */
export type RegisterStore = {
  take(order: TakenOrder, decide: (state: RegisterState) => number | null): Promise<void>
  find(register: string, reference: string): Promise<number | null>
}

export type SandboxRegister = ReturnType<typeof createSandboxRegister>

export function createSandboxRegister(store: RegisterStore) {
  return {
    /** @throws Error when the response is lost after the receipt was printed. */
    async print(register: string, { fault, paymentFault, ...order }: RegisterOrder): Promise<Printed> {
      const { away, refuses, reply } = registerHooksOf(fault)
      if (away) return { result: 'unavailable', message: away }
      let answer: number | string = ''
      await store.take({ register, ...order }, (state) => {
        answer = answerTo(order, state, [refuses, hooksOf(paymentFault).receipt])
        return typeof answer === 'number' ? answer : null
      })
      reply?.()
      return typeof answer === 'number'
        ? { result: 'printed', number: answer }
        : { result: 'refused', message: answer }
    },

    /** Returns the number under which this reference was printed, or null. */
    find: (register: string, reference: string): Promise<number | null> => store.find(register, reference),
  }
}

/** Returns the number that it prints, or the reason why it does not print. */
function answerTo(
  order: Omit<TakenOrder, 'register'>,
  state: RegisterState,
  faults: (RefusesOrder | undefined)[],
): number | string {
  const { sequence, saleNumber, amountMinor } = order
  if (sequence <= state.lastSequence) return `104: sequence ${sequence} is not above ${state.lastSequence}`
  const takenOrder = { isRefund: saleNumber !== undefined, isKnown: state.known }
  if (faults.some((refuses) => refuses?.(takenOrder))) return '196: the register is not active'
  if (saleNumber !== undefined) {
    if (!state.sale) return `176: there is no receipt ${saleNumber}`
    const left = state.sale.amountMinor - state.sale.returnedMinor
    if (amountMinor > left) return `178: only ${left} of receipt ${saleNumber} can be returned`
  }
  return state.lastNumber + 1
}
