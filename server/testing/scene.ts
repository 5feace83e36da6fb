/**
 * A shop on a Kassa of its own, for the tests of one file. What is opened here closes after these tests. `scene/shop.ts` has what the
 * shop's back end, its buyers and its bank do.
 */
import { afterAll, beforeEach } from 'vitest'
import { type Kassa, openShop, type Shop, startKassa } from './harness.ts'
import { type ShopActs, shopActs } from './scene/shop.ts'

export { type NewSession, newName, shopActs } from './scene/shop.ts'

type Given = Parameters<typeof startKassa>[0]
type Terms = Parameters<typeof openShop>[1]
export type Scene = { kassa: Kassa; shop: Shop } & ShopActs

/** Closes this after the tests of the file. What was opened last closes first. */
export function closeAfter<Opened extends { close(): unknown }>(opened: Opened): Opened {
  afterAll(async () => {
    await opened.close()
  })
  return opened
}

/** Starts a Kassa without a shop. */
export async function openKassa(given: Given = {}): Promise<Kassa> {
  return closeAfter(await startKassa(given))
}

async function sceneOn(kassa: Kassa, terms: Terms): Promise<Scene> {
  const shop = await openShop(kassa.ctx, terms)
  return { kassa, shop, ...shopActs(kassa, shop) }
}

/** Starts a Kassa with one shop. */
export async function openScene(given: Given = {}, terms: Terms = {}): Promise<Scene> {
  return sceneOn(await openKassa(given), terms)
}

/** Starts a Kassa with a new shop for each test. A test reads the shop, and what it does, from the scene. */
export async function openSceneForEach(given: Given = {}, terms: Terms = {}): Promise<Scene> {
  const scene = { kassa: await openKassa(given) } as Scene
  beforeEach(async () => {
    Object.assign(scene, await sceneOn(scene.kassa, terms))
  })
  return scene
}

/** Starts a Kassa with one shop and a mail server. `sendMails`: sends every mail that is due. */
export async function openMailScene({ settings = {}, ...given }: NonNullable<Given> = {}) {
  const { startMailServer } = await import('./mail-server.ts')
  const { startMails } = await import('../worker/mails.ts')
  const server = closeAfter(await startMailServer())
  const mail = { SMTP_URL: server.url, MAIL_FROM: 'receipts@pay.example' }
  const scene = await openScene({ ...given, settings: { ...mail, ...settings } })
  return {
    ...scene,
    server,
    async sendMails(): Promise<void> {
      const mails = startMails(scene.kassa.ctx)
      await mails.turn()
      await mails.settle()
      await mails.stop()
    },
  }
}
