/** The simulated gateway for the conformance suite of drivers: as ArCa's, or as another bank's with callbacks. */
import type { Opened } from '../../../providers/driver.ts'
import { RbsSettings } from '../../../providers/rbs/settings.ts'
import type { DriverSimulator } from '../driver-bench.ts'
import type { Shop } from './bank.ts'
import type { Transmission } from './callbacks.ts'
import { EMPTY_CARD, GOOD_CARD, LATER_EMPTY_CARD } from './cards.ts'
import { LATE_MS } from './faults.ts'
import { BINDING_LOGIN, LOGIN } from './gateway.ts'
import { actAsBuyer, type RbsServer, startRbsServer, sumsOf } from './server.ts'

export const CALLBACK_KEY = 'planted-callback-key-1'
/** Another bank: whole answers, callbacks, and an end of unpaid orders. */
export const OTHER_BANK: Partial<Shop> = {
  kind: 'other',
  isPoor: false,
  codes: 'number',
  deposited: 'falls',
  callbacks: { url: 'https://kassa.example/callbacks/acc_test_suite', method: 'POST', key: CALLBACK_KEY },
}
const CARDS = { save: GOOD_CARD, save_and_decline: LATER_EMPTY_CARD, cancel: null } as const

export function settingsOf(
  { shop }: { shop: Pick<Shop, 'kind'> },
  { address, steps = 'one', isWrong = false }: { address: string; steps?: 'one' | 'two'; isWrong?: boolean },
): RbsSettings {
  const isOther = shop.kind === 'other'
  return RbsSettings.parse({
    GATEWAY: shop.kind,
    ADDRESS: address,
    USERNAME: LOGIN.userName,
    PASSWORD: isWrong ? 'wrong-password' : LOGIN.password,
    BINDING_USERNAME: BINDING_LOGIN.userName,
    BINDING_PASSWORD: isWrong ? 'wrong-password' : BINDING_LOGIN.password,
    SAVED_METHODS: 'enabled',
    STEPS: steps,
    ...(isOther && { WITHDRAW: 'enabled', CALLBACK_KEY: isWrong ? 'key-of-somebody-else' : CALLBACK_KEY }),
  })
}

export type RbsBench = DriverSimulator<RbsSettings> & { server: RbsServer }

export async function startRbsBench(shop: Partial<Shop> = {}): Promise<RbsBench> {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const server = await startRbsServer(now, shop)
  const { bank } = server
  const pageOf = (opened: Opened) => {
    if (opened.kind !== 'redirect') throw new Error('the gateway wants a redirect')
    return opened.url
  }
  return {
    server,
    origin: server.origin,
    settings: (origin, { credentials, steps }) =>
      settingsOf(server, { address: `${origin}/payment/rest/`, steps, isWrong: credentials === 'wrong' }),
    now,
    async advance(ms) {
      aheadMs += ms
      bank.work()
    },
    async buyer(opened, does) {
      const card = { pay: GOOD_CARD, decline: EMPTY_CARD, cancel: null, approve: null }[does]
      await actAsBuyer(pageOf(opened), card)
    },
    async saver(opened, does) {
      await actAsBuyer(pageOf(opened), CARDS[does])
    },
    async books(reference) {
      const orders = [...bank.orders.values()].filter(({ number }) => number === reference)
      if (orders.length === 0) throw new Error(`the gateway has no order ${reference}`)
      return { orders: orders.length, ...sumsOf(server, reference) }
    },
    language: async (reference) => bank.find(reference)?.language ?? null,
    async forget(reference) {
      for (const { id, number } of bank.orders.values()) if (number === reference) bank.orders.delete(id)
    },
    async charges({ state }) {
      const { binding } = state as { binding: string }
      return [...bank.orders.values()].filter((order) => order.binding === binding && order.status === 2)
        .length
    },
    writes: [
      { call: 'startCheckout', path: /\/register(PreAuth)?\.do$/, body: /^(?!.*clientId=)/ },
      // The price of a saved card is refunded too, by the service.
      { call: 'refund', path: /\/refund\.do$/, body: /^(?!.*amount=1000(&|$))/ },
      { call: 'capture', path: /\/deposit\.do$/ },
      { call: 'void', path: /\/reverse\.do$/ },
      { call: 'chargeToken', path: /\/paymentOrderBinding\.do$/ },
    ],
    moneyPaths: { chargeToken: /\/paymentOrderBinding\.do$/ },
    callbacks: async () => server.takeSent().map(arrivalOf),
    causeFault: (what) => ({ description: `simulate:${what}` }),
    laterMs: LATE_MS + 5_000,
    close: server.close,
  }
}

export function arrivalOf({ method, url, fields }: Transmission) {
  const path = new URL(url).pathname
  if (method === 'GET') return { method, path, query: fields, headers: {}, body: Buffer.alloc(0) }
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
  return { method, path, query: {}, headers, body: Buffer.from(new URLSearchParams(fields).toString()) }
}
