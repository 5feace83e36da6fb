/** The faults of the simulated cash register that an account's setting FAULT names, and what each does. */
import type { RegisterFault } from '../../providers/fiscal/sandbox/wire.ts'

/** At least one of these hooks: a row of faults without a hook does not compile, because it would do nothing. */
export type SomeOf<Hooks> = { [Name in keyof Hooks]: Pick<Hooks, Name> & Partial<Hooks> }[keyof Hooks]

/** Returns whether the register refuses this order. `isKnown`: an order with this reference came before. */
export type RefusesOrder = (order: { isRefund: boolean; isKnown: boolean }) => boolean

type Hooks = {
  /** Why it takes no orders. */
  away: string
  refuses: RefusesOrder
  /** Called when the receipt is printed. @throws Error if the reply is lost */
  reply(): void
}

const HOOKS = {
  away: { away: 'the register cannot be reached' },
  refuses: { refuses: () => true },
  answer_lost: {
    reply() {
      throw new Error('the connection was reset')
    },
  },
} as const satisfies Record<RegisterFault, SomeOf<Hooks>>

export function registerHooksOf(fault: RegisterFault | undefined): Partial<Hooks> {
  return fault ? HOOKS[fault] : {}
}
