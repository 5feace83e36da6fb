/** Takes a picture of every kind of mail, as a running service has sent it: on a phone, light and dark. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright'
import { COMPILE_CACHE } from '../support/kassa.ts'
import { type Shot, writeSheets } from './contact-sheet.ts'

type Size = { width: number; height: number }

/** Returns how many mails there are in each language. */
export async function takeMails(
  browser: Browser,
  folder: string,
  {
    locales,
    part,
    screen,
    schemes,
  }: { locales: string[]; part: string; screen: Size; schemes: readonly ('light' | 'dark')[] },
): Promise<number> {
  const page = await browser.newPage({ viewport: screen })
  let count = 0
  for (const locale of locales) {
    const { mails, close } = await openMails(locale)
    const wanted = mails.filter(({ name }) => name.includes(part))
    const shots: Shot[][] = schemes.map(() => [])
    for (const { name: label, html } of wanted) {
      await page.setContent(html, { waitUntil: 'networkidle' })
      for (const [at, colorScheme] of schemes.entries()) {
        await page.emulateMedia({ colorScheme })
        shots[at]?.push({ label, picture: await page.screenshot({ fullPage: true }) })
      }
    }
    await close()
    for (const [at, scheme] of schemes.entries())
      await writeSheets(folder, `${locale}-mails-${scheme}`, shots[at] ?? [])
    count = wanted.length
  }
  await page.close()
  return count
}

const ENTRY = fileURLToPath(new URL('../../server/testing/processes/mail-scene-main.ts', import.meta.url))

/** What the program prints. `name`: the reader and what the mail is about. */
type ShownMail = { name: string; subject: string; text: string; html: string }
type Mails = { mails: ShownMail[]; close(): Promise<void> }

/** Takes about half a minute. The pictures in the mails can be loaded until `close`. */
async function openMails(locale: string): Promise<Mails> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-mails-'))
  // The embedded PostgreSQL may run as another user, who needs access to this folder.
  await chmod(dataDir, 0o755)
  const child = spawn(process.execPath, [ENTRY, locale], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, DATA_DIR: dataDir },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { value, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  if (done) throw new Error(`The mails in ${locale} could not be made.`)
  return {
    mails: JSON.parse(value),
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
