/** One Kassa with a shop for each driver, which has accounts of its own. A proxy stands before each simulator, and spoils answers. */
import { inject } from 'vitest'
import { callbackUrlOf } from '../../../accounts/callback-address.ts'
import { setAccount } from '../../../accounts/set.ts'
import { SWEEPS } from '../../../worker/sweeps.ts'
import { createEmptyDatabase } from '../../database.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../harness.ts'
import { operate } from '../../operator.ts'
import type { Random } from '../../random.ts'
import { type FaultProxy, startFaultProxy, TRANSPORT_FAULTS } from '../fault-proxy.ts'
import { FLEET, type FleetRow, type Simulated } from './drivers.ts'

/** A slow answer takes real time, and ends as a lost one does. */
const FAULTS = TRANSPORT_FAULTS.filter((fault) => fault !== 'slow')

export type Ship = {
  name: string
  row: FleetRow
  simulator: Simulated
  proxy: FaultProxy
  shop: Shop
  accountIds: string[]
  /** How many writes the provider got again although it does not know a repetition. */
  sentTwice(): number
  /** How many processes have died while they worked on its payments. */
  deaths: number
}
export type Fleet = Awaited<ReturnType<typeof startFleet>>

/** `names`: which drivers; by default all. */
export async function startFleet(names: readonly string[] = Object.keys(FLEET)) {
  const kassa = await startKassa()
  const ships: Ship[] = []
  for (const name of names) ships.push(await launch(kassa, name))
  const fleet = {
    kassa,
    ships,
    /** Goes on with the service as it was at the backup. The database of the present is lost. */
    async restore(directory: string): Promise<void> {
      await fleet.kassa.close()
      fleet.kassa = await restore(directory)
      for (const ship of ships) standUp(fleet.kassa, ship)
    },
    /** Moves all clocks. `isSettled`: does what is due about payments that are over, too. */
    async later(ms: number, { isSettled = false } = {}): Promise<void> {
      const { clock, ctx } = fleet.kassa
      clock.advance(ms)
      for (const { simulator } of ships) await simulator.advance(ms)
      await SWEEPS.restoreChecks(ctx)
      await SWEEPS.statusSync(ctx)
      await SWEEPS.moneyOperations(ctx)
      if (isSettled) await SWEEPS.settledSync(ctx)
      await SWEEPS.restoreEnd(ctx)
    },
    async close() {
      await fleet.kassa.close()
      for (const { proxy, simulator } of ships) {
        await proxy.close()
        await simulator.close()
      }
    },
  }
  return fleet
}

/** Returns a service with the database of the backup. */
async function restore(directory: string): Promise<Kassa> {
  const database = await createEmptyDatabase(inject('postgresUrl'))
  const settings = { DATABASE_URL: database.url }
  // Without a list of what was revoked the tokens of the shops wait for the host.
  for (const words of [
    ['backup', 'restore', '--from', directory],
    ['restore', 'confirm', '--all'],
  ]) {
    const { code, stderr } = await operate(settings, words)
    if (code !== 0) throw new Error(`${words.join(' ')} ends with ${code}: ${stderr}`)
  }
  return startKassa({ database })
}

async function launch(kassa: Kassa, name: string): Promise<Ship> {
  const row = FLEET[name]
  if (!row) throw new Error(`no driver ${name}`)
  const simulator = await row.start()
  const proxy = await startFaultProxy(simulator.origin)
  const shop = await openShop(kassa.ctx)
  const accountIds: string[] = []
  for (const [route, steps] of [
    ['route_a', 'one'],
    ['route_b', 'two'],
  ] as const) {
    if (steps === 'two' && !row.hasSteps) continue
    const written = simulator.settingsAt(proxy.url, steps)
    const wanted = { merchantId: shop.merchantId, route, driver: name, currencies: undefined, written }
    const { accountId } = await setAccount(kassa.ctx, wanted)
    accountIds.push(accountId)
  }
  const ship = {
    name,
    row,
    simulator,
    proxy,
    shop,
    accountIds,
    sentTwice: countSentTwice(proxy, simulator),
    deaths: 0,
  }
  standUp(kassa, ship)
  return ship
}

/** Tells the provider where the service is, if its staff have to be told. */
function standUp(kassa: Kassa, { simulator, accountIds: [first = ''] }: Ship): void {
  // The service listens at an address of its own, whatever it says to people.
  const callbackUrl = `${kassa.url}${new URL(callbackUrlOf(kassa.ctx, { id: first })).pathname}`
  simulator.setUp?.({ callbackUrl, returnUrl: callbackUrl.replace('/callbacks/', '/returns/') })
}

export const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[random(0, values.length)] as Value

/** The next answer of this provider may not arrive whole. */
export function perhapsSpoil({ proxy }: Ship, random: Random): void {
  if (random(0, 3) === 0) proxy.spoilNext(pick(random, FAULTS))
}

/** Delivers what the provider has sent: some of it is lost, some arrives twice, and the last may be first. */
export async function deliver(kassa: Kassa, { simulator, accountIds }: Ship, random: Random): Promise<void> {
  const sent = await simulator.callbacks()
  const arriving = sent.flatMap((each) => pick(random, [[], [each], [each], [each, each]]))
  if (random(0, 2) === 0) arriving.reverse()
  for (const { method, query, headers, body } of arriving)
    for (const accountId of accountIds) {
      const url = new URL(`${kassa.url}/callbacks/${accountId}`)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      await fetch(url, { method, headers, ...(method === 'POST' && { body: new Uint8Array(body) }) })
    }
}

/** An opening moves no money. That an order was opened twice is seen in the provider's books. */
const MOVES_MONEY = ['finalize', 'refund', 'capture', 'void'] as const

/** Counts the writes that a provider gets again although it does not know a repetition: it would move the money twice. */
function countSentTwice(proxy: FaultProxy, { writes, keyed }: Simulated): () => number {
  const sent = new Set<string>()
  let again = 0
  const bare = MOVES_MONEY.filter((write) => keyed[write] === undefined)
  proxy.listen((method, path, body) => {
    const address = path.replace(/\?.*/, '')
    const write = writes.find((each) => each.path.test(address) && (each.body?.test(body) ?? true))
    if (method !== 'POST' || !bare.some((name) => name === write?.call)) return
    // A shop of the fleet asks for one operation of a payment, so two equal requests are the same write.
    const name = `${path} ${body}`
    if (sent.has(name)) again += 1
    sent.add(name)
  })
  return () => again
}
