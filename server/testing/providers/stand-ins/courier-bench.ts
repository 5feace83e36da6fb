/** The bank that writes letters, as the conformance suite uses it. */
import type { Opened, RawInbound } from '../../../providers/driver.ts'
import type { Books, DriverSimulator } from '../driver-bench.ts'
import type { CourierSettings } from './courier.ts'
import { type Courier, startCourier } from './courier-server.ts'

const METHODS = { startCheckout: 'register', lookUp: 'status', refund: 'refund', capture: 'capture' } as const
const SECRET = 'local-test-secret'

export async function startCourierBench(): Promise<DriverSimulator<CourierSettings>> {
  const bank = await startCourier({ secret: SECRET, isQuick: true })
  let aheadMs = 0
  const numberOf = (opened: Opened) => {
    if (opened.kind !== 'redirect') throw new Error('the bank wants a redirect')
    return new URL(opened.url).pathname.split('/').at(-1) ?? ''
  }
  return {
    origin: bank.address,
    settings: (origin, { credentials, steps }) => ({
      ADDRESS: origin,
      LOGIN: credentials === 'right' ? 'tea' : 'nobody',
      SECRET: credentials === 'right' ? SECRET : 'another-secret',
      STEPS: steps,
      OPERATIONS: 'enabled',
    }),
    now: () => new Date(Date.now() + aheadMs),
    async advance(ms) {
      aheadMs += ms
    },
    async buyer(opened, does) {
      const number = numberOf(opened)
      const order = bank.orders.get(number)
      if (does === 'pay') bank.pay(number)
      if (does === 'decline' && order) order.status = 'declined'
    },
    saver: neither,
    books: async (reference) => booksOf(bank, reference),
    forget: async (reference) => void bank.orders.delete(reference),
    charges: neither,
    writes: [
      { call: 'startCheckout', path: /\/register$/ },
      { call: 'refund', path: /\/refund$/ },
      { call: 'capture', path: /\/capture$/ },
    ],
    moneyPaths: { refund: /\/refund$/ },
    async callbacks() {
      const at = { method: 'POST', path: '/callbacks/acc_test_suite', query: {} } as const
      const all = bank.letters.splice(0)
      return all.map(({ body, headers }): RawInbound => ({ ...at, headers, body: Buffer.from(body) }))
    },
    causeFault: () => null,
    causeRefusal(cause, at = 'startCheckout') {
      bank.refusing = cause === 'account' ? METHODS[at as keyof typeof METHODS] : null
      return {}
    },
    laterMs: 0,
    close: bank.close,
  }
}

function booksOf({ orders, takenOf, refundedOf }: Courier, reference: string): Books {
  const order = orders.get(reference)
  if (!order) throw new Error(`the bank has no order ${reference}`)
  const hasMoney = order.status === 'held' || order.status === 'taken'
  return {
    orders: 1,
    authorizedMinor: hasMoney ? order.amount : 0,
    capturedMinor: takenOf(reference),
    refundedMinor: refundedOf(reference),
    isReversed: false,
  }
}

async function neither(): Promise<never> {
  throw new Error('the bank saves no cards')
}
