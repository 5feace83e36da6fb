/** The check of a callback URL says what to do in the language of its reader. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { setCallback } from '../../receivers/receiver.ts'
import { hiddenIn } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { openConsole } from '../../testing/scene/console.ts'

const LANGUAGES = ['en', 'ru', 'hy']

/** Accepts everything, so it passes no check that wants a rejection. */
const trusting = createServer((_request, response) => response.end())
const { kassa, signInWithPasskey } = await openConsole()
await new Promise<void>((listening) => trusting.listen(0, '127.0.0.1', listening))
const root = await signInWithPasskey('administrator')
afterAll(async () => {
  trusting.close()
})

async function check(url: string): Promise<Record<string, string[]>> {
  const { merchantId } = await openShop(kassa.ctx)
  await setCallback(kassa.ctx, merchantId, url)
  const path = `/sandbox/shops/${merchantId}/settings/callback-verify`
  const output: Record<string, string[]> = {}
  for (const language of LANGUAGES) {
    const of = { 'accept-language': language }
    const form = hiddenIn((await root.get(path, of)).text)
    const sure = await root.post(path, form, of)
    const { text } = await root.post(path, { ...form, ...hiddenIn(sure.text) }, of)
    const facts = [...text.matchAll(/<dt>([^<]*)<\/dt>\s*<dd>([^<]*)<\/dd>/g)]
    output[language] = facts.map(([, name, what]) => `${name}: ${what}`).filter((each) => /[✓✗]/.test(each))
  }
  return output
}

test.each([
  ['nobody listens', () => 'http://127.0.0.1:9/nobody'],
  ['nothing is at its path', () => `${kassa.url}/nobody`],
  ['everything is accepted', () => `http://127.0.0.1:${(trusting.address() as AddressInfo).port}/`],
])('where %s, each check and its advice are in the language of the reader', async (_what, urlOf) => {
  const { en = [], ru = [], hy = [] } = await check(urlOf())
  expect([en.length, ru.length, hy.length]).toEqual([8, 8, 8])
  expect(en.join('\n')).toMatch(/✗ .*\./)
  // Names of the protocol stay as they are.
  const foreign = (lines: string[]) =>
    lines
      .flatMap((line) => line.match(/[A-Za-z]{2,}/g) ?? [])
      .filter((word) => !/^(xx|id|POST|DNS|cookie)$/.test(word))
  expect(foreign(ru)).toEqual([])
  expect(foreign(hy)).toEqual([])
  expect(ru).not.toEqual(hy)
})
