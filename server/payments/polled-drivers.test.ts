/**
 * Providers that are only asked, because no callback ever arrives: each of them is asked often until the payment ends, and then daily for
 * 90 days, about an order that was paid and about one that nobody has paid.
 */
import { expect, test, vi } from 'vitest'
import { DRIVERS } from '../providers/registry.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { FLEET } from '../testing/providers/fleet/drivers.ts'
import { type Ship, startFleet } from '../testing/providers/fleet/fleet.ts'
import { closeAfter } from '../testing/scene.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** The simulated bank of the sandbox calls from this process, so its callbacks cannot be lost on the way. */
const names = Object.keys(FLEET).filter((name) => DRIVERS[name]?.driver.lookUp && name !== 'sandbox')

const fleet = closeAfter(await startFleet(names))

async function open({ row, shop }: Ship, key: string) {
  const [currency] = row.currencies
  const body = sessionRequest({ merchantOrderId: key, provider: 'route_a', currency, amountMinor: 190_000 })
  const created = await createSession(fleet.kassa.url, shop, { key, body })
  const { id } = created.body as { id: string }
  const { attempt } = (await stored(shop, id)) ?? {}
  return { id, reference: attempt?.reference ?? '', url: attempt?.checkoutUrl ?? '' }
}
type Order = Awaited<ReturnType<typeof open>>
type Watched = { ship: Ship; countOf(reference: string): number; paid: Order; left: Order }

const stored = ({ merchantId }: Ship['shop'], id: string) => findPayment(fleet.kassa.ctx.db, merchantId, id)

test('every provider that is only asked is asked often, and then daily for 90 days', {
  tags: ['long'],
}, async () => {
  const watched: Watched[] = []
  for (const ship of fleet.ships) {
    const driver = DRIVERS[ship.name]?.driver
    if (!driver?.lookUp) throw new Error('no driver')
    const lookUps = vi.spyOn(driver, 'lookUp')
    const countOf = (reference: string) =>
      lookUps.mock.calls.filter(([, order]) => order.reference === reference).length
    watched.push({ ship, countOf, paid: await open(ship, 'paid'), left: await open(ship, 'left') })
  }
  for (let minute = 0; minute < 12; minute++) {
    await fleet.later(MINUTE_MS)
    // The buyer pays late, and closes the tab.
    if (minute === 6)
      for (const { ship, paid } of watched)
        await ship.simulator.buyer({ kind: 'redirect', url: paid.url }, 'pay')
  }
  const counts = () =>
    watched.map(
      ({ ship, paid, left, countOf }) =>
        [ship.name, countOf(paid.reference), countOf(left.reference)] as const,
    )
  const often = counts()
  for (const [name, paid, left] of often) {
    expect([name, paid >= 4, left >= 4]).toEqual([name, true, true])
  }
  for (const { ship, paid } of watched)
    expect([ship.name, (await stored(ship.shop, paid.id))?.status]).toEqual([ship.name, 'paid'])
  const daysOf = async (count: number) => {
    const before = counts()
    for (let day = 0; day < count; day++) await fleet.later(DAY_MS, { isSettled: true })
    return counts().map(
      ([name, paid, left], index) =>
        [name, paid - (before[index]?.[1] ?? 0), left - (before[index]?.[2] ?? 0)] as const,
    )
  }
  // The order that nobody has paid ends on the first days.
  await daysOf(2)
  const daily = await daysOf(86)
  for (const [name, paid, left] of daily) expect([name, paid, left]).toEqual([name, 86, 86])
  await daysOf(6)
  for (const [name, paid, left] of await daysOf(20)) expect([name, paid, left]).toEqual([name, 0, 0])
})
