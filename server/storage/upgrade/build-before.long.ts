/**
 * Real processes of the build before and of this one on one database while buyers pay: both at once, then only this one, then only the
 * one before again. Nothing is lost, nothing is done twice, and both append to the same audit log, which another role owns since.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createPreparedDatabase, type TestDatabase } from '../../testing/database.ts'
import { freePort, spawnKassa } from '../../testing/harness.ts'
import { operateJson, operateProcess } from '../../testing/operator.ts'
import { type BuildBefore, checkOutBefore } from '../../testing/releases/build-before.ts'
import { openShopUnderLoad } from '../../testing/releases/shop-under-load.ts'

let before: BuildBefore | null
let database: TestDatabase
let folder: string
beforeAll(async () => {
  before = await checkOutBefore()
  database = await createPreparedDatabase(inject('postgresUrl'))
  folder = await mkdtemp(join(tmpdir(), 'kassa-both-'))
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
  await before?.remove()
})

test('two builds serve one database side by side and one after the other, with one audit log', async ({
  skip,
}) => {
  if (!before) return skip('the history of the project is missing')
  const [main, command] = ['server/main.ts', 'server/admin.ts'].map((entry) =>
    join(before?.folder ?? '', entry),
  )
  const ports = { before: String(await freePort()), now: String(await freePort()) }
  const addresses = Object.values(ports).map((port) => `http://127.0.0.1:${port}`)
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    AUDIT_CHECKPOINT_DIR: join(folder, 'audit'),
    RATE_LIMITS: 'off',
    SEED_DEMO: 'false',
    CONSOLE_PORT: 'off',
  }
  const startBefore = () => spawnKassa({ ...settings, PORT: ports.before }, main)
  const startNow = () => spawnKassa({ ...settings, PORT: ports.now })
  const adminBefore = (args: string[]) => operateProcess(settings, args, command)
  const adminNow = (args: string[]) => operateProcess(settings, args)

  const old = await startBefore()
  const shop = await openShopUnderLoad({ admin: adminBefore, addresses, databaseUrl: database.url })
  const setPrice = async (admin: typeof adminNow, amount: string) => {
    const words = ['--id', 'tea', '--name', 'Tea', '--currency', 'USD', '--amount', amount]
    const { code, stderr } = await admin([
      'product',
      'set',
      '--merchant',
      shop.merchantId,
      '--json',
      ...words,
    ])
    expect([code, stderr]).toEqual([0, ''])
  }
  await setPrice(adminBefore, '1.00')
  await shop.paySome()

  const now = await startNow()
  await setPrice(adminBefore, '2.00')
  await setPrice(adminNow, '3.00')
  await shop.paySome()

  await old.kill('SIGTERM')
  await shop.paySome()
  await setPrice(adminNow, '4.00')

  // The way back: the build before starts on the database of this one.
  const again = await startBefore()
  await now.kill('SIGTERM')
  await setPrice(adminBefore, '5.00')
  await shop.paySome()
  const seen = await shop.end()
  await again.kill('SIGTERM')
  console.info(`${before.commit} and this build: ${JSON.stringify(seen)}`)

  // And forward once more: what the build before has appended meanwhile continues the same log.
  const last = await startNow()
  const verified = await operateJson(settings, ['audit', 'verify'])
  expect(verified.answer).toMatchObject({ ok: true, isGuarded: true })
  const { answer } = await operateJson(settings, ['audit', 'list', '--merchant', shop.merchantId])
  const prices = answer.rows
    .filter(({ about }: { about: string }) => about.startsWith('product'))
    .map(({ after }: { after: { amount_minor: number } }) => after.amount_minor)
  expect(prices).toEqual([100, 200, 300, 400, 500])
  await last.kill('SIGTERM')
})
