/**
 * Writes the database of this version into a text file beside this one, for the tests of later versions. Run it before each
 * release, and also after a change to a migration of a version that is not frozen: npx node server/testing/releases/write.ts
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noteRight } from '../../accounts/facts.ts'
import { noteUnwell } from '../../accounts/health.ts'
import { listAccounts } from '../../accounts/manage.ts'
import { createApp } from '../../app.ts'
import { createBackup } from '../../backup/create.ts'
import { releaseWidget } from '../../channels/widget-release.ts'
import { readConfig } from '../../config.ts'
import { openService, type Service } from '../../service.ts'
import { VERSION } from '../../version.ts'
import { startSandboxWorker } from '../../worker/sandbox-worker.ts'
import { startWorker } from '../../worker/worker.ts'
import { askOperation, createLink, createSession, payAtBank, sessionRequest } from '../calls.ts'
import { openShop, SECRETS_KEY, type Shop } from '../harness.ts'
import { operateHere } from '../operator.ts'
import { createSubscription, openToken, subscriptionRequest } from '../payments/subscriptions.ts'
import { startReceiver } from '../receiver.ts'
import { allowManual, onboard } from '../scene/live.ts'
import { FROZEN, packRelease, releasePath } from './release-file.ts'

const DELIVERED_WITHIN_MS = 30_000

if (VERSION === FROZEN && existsSync(releasePath(VERSION)))
  throw new Error(
    `The database of ${VERSION} is frozen. Put the change into a new migration, and raise the version in package.json.`,
  )

const folder = await mkdtemp(join(tmpdir(), 'kassa-release-'))
await chmod(folder, 0o755)
const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const config = readConfig({
  MODE: 'live',
  BASE_URL: 'https://pay.example',
  DEFAULT_PROVIDER: 'manual',
  TRUST_PROXY: '1',
  SECRETS_KEY,
  LOG_LEVEL: 'error',
  DATA_DIR: folder,
})
// The bank, the buyer and the receiver run on this machine.
const service = await openService({ ...config, baseUrl: url, callbackAllow: ['loopback'] }, { localUrl: url })
const { sandbox, live = sandbox } = service.worlds
server.on('request', createApp(service.worlds, { widget: await releaseWidget(service.ctx) }))
const workers = [await startSandboxWorker(sandbox), await startWorker(live)]
const receiver = await startReceiver()

await fillSandbox(await openShop(sandbox, { callbackUrl: receiver.url }))
await fillLive(
  await openShop(live, { callbackUrl: receiver.url, onboard: (id) => onboard({ ctx: sandbox }, id) }),
)
await fillAccounts()
await fillOrderBook(await openShop(sandbox))
await untilQuiet(service)
await Promise.all(workers.map((worker) => worker.stop()))
await receiver.close()
await sandbox.exchangeLog.flush()
// The widget's script is large, and no upgrade changes it.
await live.db.query('delete from kassa.widget_releases')
const directory = join(folder, 'backup')
await createBackup(live.jobsDb, {
  directory,
  version: VERSION,
  at: new Date(),
  key: null,
  onProgress: () => {},
})
await writeFile(releasePath(VERSION), await packRelease(directory))
server.closeAllConnections()
server.close()
await service.close()
await rm(folder, { recursive: true, force: true })

/** A payment of each kind: paid, refunded in part and in full, declined, cancelled, unknown, open, by link, by subscription. */
async function fillSandbox(shop: Shop): Promise<void> {
  const sell = async (order: string, outcome: string) => {
    const body = sessionRequest({
      merchantOrderId: order,
      provider: 'route_a',
      metadata: { note: 'Թեյ \t "green" \\' },
    })
    const { body: session } = await createSession(url, shop, { key: order, body })
    if (outcome !== 'open') await payAtBank(session.providerCheckoutUrl, outcome)
    return session.id as string
  }
  for (const outcome of ['paid', 'declined', 'cancelled', 'pending', 'unknown', 'open'])
    await sell(outcome, outcome)
  const refund = (id: string, amountMinor: number) =>
    askOperation(url, shop, id, 'refunds', { key: `refund-${id}`, body: { amountMinor, reason: 'broken' } })
  await refund(await sell('half', 'paid'), 950)
  await refund(await sell('whole', 'paid'), 1900)
  await createLink(url, shop, { key: 'link' })
  const token = await openToken(url, shop)
  await createSubscription(url, shop, { body: subscriptionRequest(token) })
}

async function fillLive(shop: Shop): Promise<void> {
  await allowManual({ live } as Parameters<typeof allowManual>[0], shop.merchantId)
  for (const order of ['confirmed', 'waiting']) {
    const body = sessionRequest({ merchantOrderId: order, provider: 'manual' })
    const { body: session } = await createSession(url, shop, { key: order, body })
    await fetch(`${url}/checkout/${session.id}`)
    if (order === 'waiting') continue
    const confirm = ['payment', 'confirm', '--payment', session.id, '--reference', 'RF18 5390', '--live']
    await operateHere(async () => service.worlds, confirm)
  }
}

/** A merchant whose orders are in the order book: one that is packed, and one with a note. */
async function fillOrderBook(shop: Shop): Promise<void> {
  const { merchantId } = shop
  const command = async (...args: string[]) => {
    const words = [...args, '--merchant', merchantId, '--sandbox']
    const { code, stderr } = await operateHere(async () => service.worlds, words)
    if (code !== 0) throw new Error(stderr)
  }
  await command('callback', 'set', '--order-book')
  await command('order', 'mails', '--email', 'potter@shop.example', '--language', 'hy')
  for (const order of ['bowl', 'vase']) {
    const body = sessionRequest({ merchantOrderId: order, provider: 'route_a', customer: { name: 'Անի' } })
    const { body: session } = await createSession(url, shop, { key: order, body })
    await payAtBank(session.providerCheckoutUrl, 'paid')
  }
  await untilQuiet(service)
  await command('order', 'move', '--order', 'bowl', '--to', 'packed')
  await command('order', 'note', '--order', 'vase', '--text', 'Ваза \t "синяя" \\')
  await command('order', 'print', '--order', 'bowl')
}

/** A merchant with an own account, a choice of routes, a picture, an origin, and an account that its provider refuses. */
async function fillAccounts(): Promise<void> {
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await operateHere(async () => service.worlds, [...args, '--sandbox'])
    if (code !== 0) throw new Error(stderr)
    return stdout
  }
  const { merchantId } = await openShop(sandbox)
  const secret = /Secret +(\S+)/.exec(await command('account', 'customer', '--customer', 'pottery'))?.[1]
  const bank = ['--driver', 'sandbox', '--set', 'CUSTOMER=pottery', '--set', `SECRET=${secret}`]
  await command(
    'account',
    'set',
    '--merchant',
    merchantId,
    '--route',
    'route_a',
    '--currency',
    'AMD',
    ...bank,
  )
  await command(
    'merchant',
    'routes',
    '--merchant',
    merchantId,
    '--route',
    'route_a=Card',
    '--route',
    'manual=Bank transfer',
  )
  await command('origin', 'add', '--merchant', merchantId, '--origin', 'https://pottery.example')
  const [account] = (await listAccounts(sandbox, { merchantId })).filter(({ owner }) => owner === merchantId)
  const accountId = account?.accountId ?? ''
  await noteUnwell(sandbox, accountId, {
    state: 'refusing',
    refusal: 'credentials',
    reason: 'a wrong secret',
  })
  const fact = { right: 'refund', granted: false, reason: 'not in the contract', source: 'answer' } as const
  await noteRight(sandbox, { id: accountId }, fact)
}

/** Waits until every event is delivered, every refund is carried out, and the first period of the subscription is charged. */
async function untilQuiet({ worlds }: Service): Promise<void> {
  const until = performance.now() + DELIVERED_WITHIN_MS
  for (;;) {
    const { rows } = await worlds.sandbox.db.query<{ left: number }>(
      `select ((select count(*) from sandbox.events where state = 'pending')
         + (select count(*) from sandbox.operations where status not in ('succeeded', 'failed')))::int as left`,
    )
    if (rows[0]?.left === 0) return
    if (performance.now() > until)
      throw new Error(`${rows[0]?.left} events and operations were not done in time`)
    await new Promise((done) => setTimeout(done, 200))
  }
}
