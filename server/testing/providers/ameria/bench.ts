/** The simulated vPOS with its own HTTP server, for the conformance suite of drivers. */
import { AmeriaSettings } from '../../../providers/ameria/settings.ts'
import type { Opened } from '../../../providers/driver.ts'
import type { DriverSimulator } from '../driver-bench.ts'
import { EMPTY_CARD, GOOD_CARD, LATER_EMPTY_CARD } from '../rbs/cards.ts'
import { LATE_MS } from '../rbs/faults.ts'
import { actAsBuyer, sumsOf } from '../rbs/server.ts'
import { serveSimulator } from '../simulator-server.ts'
import type { Shop } from './bank.ts'
import { CLIENTS, createVpos } from './vpos.ts'

export const RICH: Partial<Shop> = { isPoor: false }
const SAVERS = { save: GOOD_CARD, save_and_decline: LATER_EMPTY_CARD, cancel: null } as const

export type AmeriaBench = DriverSimulator<AmeriaSettings> & { vpos: ReturnType<typeof createVpos> }

/** Two accounts of one test use numbers of their own, so that a number names one payment. */
const FIRST_NUMBERS = { one: 2_000_001, two: 3_000_001 }

export function settingsOf(address: string, steps: 'one' | 'two' = 'one', isWrong = false): AmeriaSettings {
  const { id, username, password, numbers } = CLIENTS[steps]
  return AmeriaSettings.parse({
    ADDRESS: address,
    CLIENT_ID: id,
    USERNAME: username,
    PASSWORD: isWrong ? 'wrong-password' : password,
    FIRST_NUMBER: FIRST_NUMBERS[steps],
    LAST_NUMBER: numbers[1],
    SAVED_METHODS: steps === 'one' ? 'enabled' : 'disabled',
    STEPS: steps,
  })
}

export async function startAmeriaBench(shop: Partial<Shop> = {}): Promise<AmeriaBench> {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const vpos = createVpos(shop, now)
  const { bank } = vpos
  const server = await serveSimulator(vpos.answer)
  const pageOf = (opened: Opened) => {
    if (opened.kind !== 'redirect') throw new Error('the bank wants a redirect')
    return opened.url
  }
  return {
    vpos,
    origin: server.origin,
    settings: (origin, { credentials, steps }) =>
      settingsOf(`${origin}/VPOS/`, steps, credentials === 'wrong'),
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
      await actAsBuyer(pageOf(opened), SAVERS[does])
    },
    async books(reference) {
      const own = [...bank.payments.values()].filter(({ number }) => number === reference)
      if (own.length === 0) throw new Error(`the bank has no payment ${reference}`)
      return { orders: own.length, ...sumsOf(vpos, reference) }
    },
    async forget(reference) {
      for (const { id, number } of bank.payments.values()) if (number === reference) bank.payments.delete(id)
    },
    async charges({ state }) {
      const { holder } = state as { holder: string }
      return [...bank.payments.values()].filter(
        (each) => each.isCharge && each.holder === holder && each.status === 2,
      ).length
    },
    writes: [
      { call: 'startCheckout', path: /\/InitPayment$/, body: /^(?!.*CardHolderID)/ },
      // The price of a saved card is refunded too, by the service.
      { call: 'refund', path: /\/RefundPayment$/, body: /^(?!.*"Amount":"10\.00")/ },
      { call: 'capture', path: /\/ConfirmPayment$/ },
      { call: 'void', path: /\/CancelPayment$/ },
      { call: 'chargeToken', path: /\/MakeBindingPayment$/ },
    ],
    callbacks: async () => [],
    causeFault: (what) => ({ description: `simulate:${what}` }),
    causeRefusal(cause) {
      vpos.shop.leastMinor = cause === 'amount' ? 100_000 : 1
      return {}
    },
    laterMs: LATE_MS + 5_000,
    close: server.close,
  }
}
