/**
 * A shop on a Kassa of its own, for the tests of one file. What is opened here closes after them. `scene/shop.ts` has what the
 * shop's back end, its buyers and its bank do.
 */
import { afterAll, onTestFinished, TestRunner } from 'vitest'
import { type Kassa, openShop, type Shop, startKassa } from './harness.ts'
import { type ShopActs, shopActs } from './scene/shop.ts'

export { newName } from './scene/shop.ts'

type Given = Parameters<typeof startKassa>[0]
type Terms = Parameters<typeof openShop>[1]
export type Scene = { kassa: Kassa; shop: Shop } & ShopActs

/** Closes this after the tests of the file, or after the test that opens it. What was opened last closes first. */
export function closeAfter<Opened extends { close(): unknown }>(opened: Opened): Opened {
  const closeOnce = TestRunner.getCurrentTest() ? onTestFinished : afterAll
  closeOnce(async () => {
    await opened.close()
  })
  return opened
}

/** Starts a Kassa without a shop. */
export async function openKassa(given: Given = {}): Promise<Kassa> {
  return closeAfter(await startKassa(given))
}

/** Starts a Kassa with one shop. */
export async function openScene(given: Given = {}, terms: Terms = {}): Promise<Scene> {
  const kassa = await openKassa(given)
  const shop = await openShop(kassa.ctx, terms)
  return { kassa, shop, ...shopActs(kassa, shop) }
}
