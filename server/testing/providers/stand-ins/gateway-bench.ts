/** The gateway of the stand-in driver, as the conformance suite uses it. */
import type { Opened, RawInbound } from '../../../providers/driver.ts'
import type { DriverSimulator } from '../driver-bench.ts'
import type { gatewayDriver } from './gateway.ts'
import { startGateway } from './gateway-server.ts'

type GatewaySettings = Parameters<NonNullable<(typeof gatewayDriver)['addresses']>>[0]

const METHODS = { startCheckout: 'register', lookUp: 'status', withdraw: 'decline' } as const
const REFUSING = { account: 8, payment: 9, amount: 4 } as const

export async function startGatewayBench(): Promise<DriverSimulator<GatewaySettings>> {
  const gateway = await startGateway()
  let aheadMs = 0
  let sent: RawInbound[] = []
  return {
    origin: gateway.address,
    settings: (origin, { credentials }) => ({
      ADDRESS: origin,
      LOGIN: credentials === 'right' ? 'tea' : 'nobody',
      FIRST_NUMBER: 7_001,
      LAST_NUMBER: 9_999,
    }),
    now: () => new Date(Date.now() + aheadMs),
    async advance(ms) {
      aheadMs += ms
    },
    async buyer(opened, does) {
      const number = numberOf(opened)
      if (does === 'pay' && !gateway.pay(number)) throw new Error('the order is over')
      const order = gateway.orders.get(number)
      if (does === 'decline' && order) order.status = 6
      sent.push(notification([number]))
    },
    saver: neither,
    async books(reference) {
      const order = gateway.orders.get(reference)
      if (!order) throw new Error(`the gateway has no order ${reference}`)
      const { taken } = order
      return { orders: 1, authorizedMinor: taken, capturedMinor: taken, refundedMinor: 0, isReversed: false }
    },
    language: async (reference) => gateway.orders.get(reference)?.language ?? null,
    forget: async (reference) => void gateway.orders.delete(reference),
    charges: neither,
    writes: [{ call: 'startCheckout', path: /\/register$/ }],
    async callbacks() {
      const all = sent
      sent = []
      return all
    },
    callbackAbout: notification,
    causeFault: () => null,
    causeRefusal(cause, at = 'startCheckout') {
      const code = REFUSING[cause as keyof typeof REFUSING]
      const method = METHODS[at as keyof typeof METHODS]
      gateway.refusing = code === undefined ? null : { method, code }
      return {}
    },
    laterMs: 0,
    close: gateway.close,
  }
}

async function neither(): Promise<never> {
  throw new Error('the gateway saves no cards')
}

const notification = (references: string[]): RawInbound => ({
  method: 'POST',
  path: '/callbacks/acc_test_suite',
  query: {},
  headers: {},
  body: Buffer.from(`orders=${references.join(',')}`),
})

function numberOf(opened: Opened): string {
  if (opened.kind !== 'redirect') throw new Error('the gateway wants a redirect')
  return new URL(opened.url).pathname.split('/').at(-1) ?? ''
}
