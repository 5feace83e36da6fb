/** Takes a picture of every kind of mail, as a running service has sent it: on a phone, light and dark. */
import type { Browser } from 'playwright'
import { openMails } from '../support/mails.ts'
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
