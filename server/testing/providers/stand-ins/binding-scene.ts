/** A whole service with accounts at the bank that saves a card by a real payment, for tests. */
import { expect } from 'vitest'
import type { OperationType } from '../../../contract/operation.ts'
import { DRIVERS } from '../../../providers/registry.ts'
import { listOperations } from '../../../storage/payments/operations.ts'
import { findSavedMethodById } from '../../../storage/saved-methods/saved-methods.ts'
import { SWEEPS } from '../../../worker/sweeps.ts'
import { openShop, startKassa } from '../../harness.ts'
import { createToken, tokenRequest } from '../../payments/subscriptions.ts'
import { routeSettings } from '../route-settings.ts'
import { bindingDriver, keyedBindingDriver } from './binding.ts'
import { type BindingBank, type BindingOrder, startBindingBank } from './binding-server.ts'

export const MINUTE_MS = 60_000
/** `bare`: the bank repeats a repeated write. `keyed`: it remembers keys. `quiet`: as bare, and may be away for long. */
const ROUTES = { bare: 'route_a', keyed: 'route_b', quiet: 'route_c' } as const
export type BankName = keyof typeof ROUTES
export type BindingScene = Awaited<ReturnType<typeof setBindingScene>>

function settingsOf(banks: Record<BankName, BindingBank>): Record<string, string> {
  const own = (name: BankName) => ({
    DRIVER: name === 'keyed' ? 'binding_keyed' : 'binding',
    ADDRESS: banks[name].address,
    LOGIN: name,
  })
  const each = Object.entries(ROUTES) as [BankName, string][]
  return Object.assign({}, ...each.map(([name, route]) => routeSettings(route.toUpperCase(), own(name))))
}

/** `given`: settings of the service. */
export async function setBindingScene(given: Record<string, string> = {}) {
  DRIVERS.binding = { driver: bindingDriver, settings: bindingDriver.settings }
  DRIVERS.binding_keyed = { driver: keyedBindingDriver, settings: keyedBindingDriver.settings }
  const banks = {
    bare: await startBindingBank(),
    keyed: await startBindingBank({ remembersKeys: true }),
    quiet: await startBindingBank(),
  }
  const settings = { ...settingsOf(banks), ...given }
  const kassa = await startKassa({ settings })
  const { ctx } = kassa
  const shop = await openShop(ctx)
  /** What the service itself has asked for about a saved method. */
  const byService = async (id: string, types: readonly OperationType[]) => {
    const all = await listOperations(ctx.db, { merchantId: shop.merchantId, limit: 1_000 })
    return all.filter((each) => each.tokenId === id && each.cause === 'service' && types.includes(each.type))
  }
  return {
    kassa,
    shop,
    settings,
    /** Opens the page of a saving. `order`: at the bank. `writes`: how many have arrived there since. */
    async open(name: BankName = 'bare') {
      const body = tokenRequest({ providerRoute: ROUTES[name] })
      const answer = await createToken(kassa.url, shop, { body })
      expect(answer.status).toBe(201)
      const number = answer.body.setupUrl.split('/').at(-1) as string
      const bank = banks[name]
      bank.refusing.clear()
      const before = bank.writes.length
      const order = bank.orders.get(number) as BindingOrder
      const id: string = answer.body.token.id
      return { id, number, bank, order, writes: () => bank.writes.length - before }
    },
    /** The buyer comes back from the bank. */
    back: (id: string, url = kassa.url) =>
      fetch(`${url}/payment-method-tokens/${id}/return`, { redirect: 'manual' }),
    methodOf: (id: string) => findSavedMethodById(ctx.db, id),
    statusOf: async (id: string) => (await findSavedMethodById(ctx.db, id))?.status,
    returnsOf: (id: string) => byService(id, ['refund', 'void']),
    removalsOf: (id: string) => byService(id, ['token_revoke']),
    async later(ms: number, times = 1) {
      for (let time = 0; time < times; time++) {
        kassa.clock.advance(ms)
        await SWEEPS.cardSavings(ctx)
        await SWEEPS.endedSavings(ctx)
        await SWEEPS.moneyOperations(ctx)
        await SWEEPS.cardRevocations(ctx)
      }
    },
    async close() {
      await kassa.close()
      for (const bank of Object.values(banks)) await bank.close()
      delete DRIVERS.binding
      delete DRIVERS.binding_keyed
    },
  }
}

/** What the bank still has of the buyer's money. */
export const leftAt = ({ held, taken, returned }: BindingOrder) => held + taken - returned
