/**
 * The simulated cash register: consecutive numbers, its own books, and no memory for what it has been told before: told
 * twice, it prints twice. As real ones do, it takes only rising sequence numbers.
 */
import type { Printed, RegisterOrder } from '../wire.ts'

/** An order with the name of the register that it was sent to. */
export type TakenOrder = Omit<RegisterOrder, 'fault'> & { register: string }

/** What the register knows when an order comes in. */
export type RegisterState = {
  lastSequence: number
  lastNumber: number
  /** What was ordered under this reference before, printed or not. */
  known: boolean
  /** Of the sale that the order names: its amount, and what of it has been taken back. Null: no such sale. */
  sale: { amountMinor: number; returnedMinor: number } | null
}

/** Where the register keeps its orders. `decide` runs under its lock: the number to print, null to note it unprinted. */
export type RegisterBooks = {
  take(order: TakenOrder, decide: (state: RegisterState) => number | null): Promise<void>
  find(register: string, reference: string): Promise<number | null>
}

export type SandboxRegister = ReturnType<typeof createSandboxRegister>

export function createSandboxRegister(books: RegisterBooks) {
  return {
    /** @throws Error when the answer is lost, after it was printed. */
    async print(register: string, { fault, ...order }: RegisterOrder): Promise<Printed> {
      if (fault === 'away') return { result: 'unavailable', message: 'the register cannot be reached' }
      let answer: number | string = ''
      await books.take({ register, ...order }, (state) => {
        answer = answerTo(order, state, fault)
        return typeof answer === 'number' ? answer : null
      })
      if (fault === 'answer_lost') throw new Error('the connection was reset')
      return typeof answer === 'number'
        ? { result: 'printed', number: answer }
        : { result: 'refused', message: answer }
    },

    /** The number under which something with this reference was printed; null if nothing was. */
    find: (register: string, reference: string): Promise<number | null> => books.find(register, reference),
  }
}

/** The number it prints, or why it does not. */
function answerTo(
  order: Omit<RegisterOrder, 'fault'>,
  state: RegisterState,
  fault: RegisterOrder['fault'],
): number | string {
  const { sequence, saleNumber, amountMinor } = order
  if (sequence <= state.lastSequence) return `104: sequence ${sequence} is not above ${state.lastSequence}`
  if (fault === 'refuses' || (fault === 'refuses_once' && !state.known))
    return '196: the register is not active'
  if (saleNumber !== undefined) {
    if (!state.sale) return `176: there is no receipt ${saleNumber}`
    const left = state.sale.amountMinor - state.sale.returnedMinor
    if (amountMinor > left) return `178: only ${left} of receipt ${saleNumber} can be returned`
  }
  return state.lastNumber + 1
}
