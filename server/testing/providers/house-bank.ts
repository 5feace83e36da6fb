/**
 * A simulated provider with separate records for each customer. It rejects a wrong secret, and records every call about an order
 * of another customer. Buyers pay at once, and cards are saved at once.
 */
import { z } from 'zod'
import { CURRENCY_CODES } from '../../contract/fields.ts'
import type { Driver, LookUpResult, ProviderCall, Snapshot } from '../../providers/driver.ts'
import { DRIVERS } from '../../providers/registry.ts'

export type HouseBank = {
  /** The secret of each customer. */
  secrets: Map<string, string>
  /** Each customer's orders by reference. */
  books: Map<string, Map<string, Snapshot>>
  /** Calls with a wrong secret, or about an order that the customer does not have. */
  wrong: string[]
}

const Settings = z.object({
  CUSTOMER: z.string().describe('The customer.'),
  SECRET: z.string().describe('Its secret.'),
  OPERATIONS: z.string().default('enabled').describe('As in the sandbox.'),
  RENEWALS: z.string().default('enabled').describe('As in the sandbox.'),
})

/** Adds the driver `house` to the driver table of this process. */
export function openHouseBank(): HouseBank {
  const bank: HouseBank = { secrets: new Map(), books: new Map(), wrong: [] }
  const counter = counterOf(bank)
  const driver: Driver = {
    label: 'House',
    currencies: CURRENCY_CODES,
    liveCapable: false,
    supportsAutoinit: true,
    settings: Settings,
    identity: ['CUSTOMER'],
    secrets: ['SECRET'],
    modeOf: () => 'test',
    ...ordersAt(counter),
    ...cardsAt(counter),
  }
  DRIVERS.house = { driver, settings: Settings }
  return bank
}

type Counter = ReturnType<typeof counterOf>

/** What the bank does with the records of a caller. It records in `wrong` each caller who must not see them. */
function counterOf(bank: HouseBank) {
  function booksOf({ settings }: ProviderCall, what: string): Map<string, Snapshot> {
    const customer = String(settings.CUSTOMER)
    if (bank.secrets.get(customer) !== settings.SECRET) {
      bank.wrong.push(`${customer}: ${what} with a wrong secret`)
      throw new Error('401: wrong credentials')
    }
    const books = bank.books.get(customer) ?? new Map<string, Snapshot>()
    bank.books.set(customer, books)
    return books
  }
  return {
    booksOf,
    find(call: ProviderCall, what: string, reference: string): Snapshot | undefined {
      const order = booksOf(call, what).get(reference)
      if (!order) bank.wrong.push(`${call.settings.CUSTOMER}: ${what} of an order of somebody else`)
      return order
    },
    take(call: ProviderCall, order: Pick<Snapshot, 'reference' | 'amountMinor' | 'currency'>): void {
      const { reference, amountMinor, currency } = order
      const money = { authorizedMinor: amountMinor, capturedMinor: amountMinor, refundedMinor: 0 }
      booksOf(call, 'order').set(reference, {
        reference,
        amountMinor,
        currency,
        order: 'completed',
        ...money,
      })
    },
    complain({ settings }: ProviderCall, what: string): void {
      bank.wrong.push(`${settings.CUSTOMER}: ${what}`)
    },
  }
}

function ordersAt({ booksOf, find, take }: Counter) {
  return {
    async startCheckout(call, attempt) {
      take(call, attempt)
      return { kind: 'redirect', url: `https://house.example/${attempt.reference}` }
    },
    async lookUp(call, { reference }): Promise<LookUpResult> {
      const snapshot = booksOf(call, 'question').get(reference)
      return snapshot ? { kind: 'found', snapshot } : { kind: 'not_found' }
    },
    async refund(call, { reference, amountMinor }) {
      const order = find(call, 'refund', reference)
      if (!order) return { kind: 'refused', message: 'no such order', refusal: 'order' }
      const refundedMinor = order.refundedMinor + amountMinor
      booksOf(call, 'refund').set(reference, { ...order, refundedMinor })
      return { kind: 'done' }
    },
  } satisfies Partial<Driver>
}

function cardsAt({ booksOf, take, complain }: Counter) {
  return {
    async saveToken(call, { reference }) {
      booksOf(call, 'saving')
      return {
        kind: 'redirect',
        url: `https://house.example/save/${reference}`,
        state: call.settings.CUSTOMER,
      }
    },
    async lookUpToken(call) {
      booksOf(call, 'question')
      return { kind: 'found', status: 'active', state: call.settings.CUSTOMER }
    },
    async revokeToken() {
      return { kind: 'done' }
    },
    async chargeToken(call, charge) {
      if (charge.token.state !== call.settings.CUSTOMER)
        complain(call, `charge of a card of ${charge.token.state}`)
      take(call, charge)
      return { kind: 'done' }
    },
  } satisfies Partial<Driver>
}
