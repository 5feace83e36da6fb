/** `account test --pay --save` at the simulated ArCa and Ameriabank, which save a card only by a real payment and give its money back. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listPayments } from '../storage/search/list.ts'
import { type Kassa, startKassa } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { FLEET, type Simulated } from '../testing/providers/fleet/drivers.ts'
import { findRecordedCalls } from '../testing/providers/proof-left.ts'
import { routeSettings } from '../testing/providers/route-settings.ts'

const BANKS = { rbs: 'route_a', ameria: 'route_b' } as const
type Bank = keyof typeof BANKS

const banks = new Map<Bank, Simulated>()
let kassa: Kassa
beforeAll(async () => {
  const settings: Record<string, string> = {}
  for (const [driver, route] of Object.entries(BANKS) as [Bank, string][]) {
    const bank = await FLEET[driver]?.start()
    if (!bank) throw new Error(`no driver ${driver}`)
    banks.set(driver, bank)
    const own = { DRIVER: driver, ...bank.settingsAt(bank.origin, 'one') }
    Object.assign(settings, routeSettings(route.toUpperCase(), own))
  }
  kassa = await startKassa({ settings })
})
afterAll(async () => {
  await kassa.close()
  for (const bank of banks.values()) await bank.close()
})

/** Runs the command. A person pays and saves a card as soon as it prints the page. */
async function run(driver: Bank) {
  const bank = banks.get(driver)
  if (!bank) throw new Error(`no bank ${driver}`)
  const acts: Promise<void>[] = []
  const { id } = kassa.ctx.routes[BANKS[driver]]
  const args = ['account', 'test', '--account', id, '--pay', '--save', '--currency', 'AMD', '--amount', '100']
  const done = await operateHere(async () => kassa.ctx, args, {
    heard(text) {
      const [, what, url = ''] = /^(Pay|Save one) there .*: (http\S+)$/m.exec(text) ?? []
      const opened = { kind: 'redirect', url } as const
      if (what === 'Pay') acts.push(bank.buyer(opened, 'pay'))
      if (what === 'Save one') acts.push(bank.saver(opened, 'save'))
    },
  })
  await Promise.all(acts)
  return done
}

for (const driver of ['rbs', 'ameria'] as const)
  test(`${driver}: a payment and a saved card, which is charged once and removed, and all money is returned`, {
    tags: driver === 'rbs' ? [] : ['long'],
  }, async () => {
    const { code, stdout, stderr } = await run(driver)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.match(/^The refund of 50.00: succeeded/gm)).toHaveLength(2)
    for (const line of [
      'The saved method is active.',
      'The charge of 100.00 AMD without the buyer: paid.',
      'The refund of 100.00: succeeded',
      'The removal of the saved method: succeeded.',
    ])
      expect(stdout).toContain(line)
    expect(stdout).not.toContain('DIFFERS')
    expect(stdout.match(/^ {2}not seen .*--save/gm)).toBeNull()
    const all = await listPayments(kassa.ctx.db, { limit: 100 })
    const { id } = kassa.ctx.routes[BANKS[driver]]
    const own = all.filter(({ attempt }) => attempt.accountId === id)
    expect(own.map(({ status }) => status)).toEqual(['refunded', 'refunded'])
    for (const { attempt, capturedMinor } of own) {
      const books = await banks.get(driver)?.books(attempt.reference)
      expect(books).toMatchObject({ orders: 1, refundedMinor: capturedMinor })
    }
    expect(await findRecordedCalls(kassa.ctx)).toEqual({ calls: 0, keys: 0 })
  })
