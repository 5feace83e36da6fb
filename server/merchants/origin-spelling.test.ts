/** An origin whose host is written in its own script: stored, shown and compared as browsers send it. */
import { expect, test } from 'vitest'
import { openShop } from '../testing/harness.ts'
import { operateHere, operateJson } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'
import { asBrowsersSend } from './origin-spelling.ts'

const kassa = await openKassa()

const run = async (...args: string[]) =>
  (await operateJson({}, args, (_settings, words) => operateHere(async () => kassa.ctx, words))).answer

test.each([
  ['https://магазин.рф', 'https://xn--80aairftm.xn--p1ai'],
  ['https://Магазин.рф:8443', 'https://xn--80aairftm.xn--p1ai:8443'],
  ['https://խանութ.հայ', 'https://xn--y9aqk1bk4d.xn--y9a3aq'],
  // Other mistakes stay in the text, because the message says how to correct them.
  ['https://магазин.рф/', 'https://магазин.рф/'],
  ['магазин.рф', 'магазин.рф'],
  ['https://shop.example', 'https://shop.example'],
])('%s', (typed, origin) => expect(asBrowsersSend(typed)).toBe(origin))

test('is added, allowed for a button and taken back as people write it', async () => {
  const { merchantId, publicKey } = await openShop(kassa.ctx)
  const [typed, origin] = ['https://խանութ.հայ', 'https://xn--y9aqk1bk4d.xn--y9a3aq']
  const at = ['--merchant', merchantId, '--origin', typed]
  expect(await run('origin', 'add', ...at)).toMatchObject({ origin, origins: [origin] })
  expect(await run('origin', 'remove', ...at)).toMatchObject({ origins: [] })
  const key = ['--installation', publicKey, '--origin', typed]
  expect((await run('installation', 'allow', ...key)).origins).toContain(origin)
  expect((await run('installation', 'forbid', ...key)).origins).not.toContain(origin)
  const wrong = await run('origin', 'add', '--merchant', merchantId, '--origin', 'https://*.рф')
  expect(wrong.error.message).toContain('is not an exact origin')
})
