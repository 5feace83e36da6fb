/** The pages in a snapshot: hosted pages in every state, and the console's screens as an administrator and an owner see them. */
import { CONSOLE_PAGES } from '../../console/pages.ts'
import { openApiDocument } from '../../http/openapi/document.ts'
import { LOCALES } from '../../pages/words/locale.ts'
import { openAs, openBrowser, startDesk, type TestBrowser } from '../console.ts'
import { addressOf, type Examples, makeExamples } from '../console-examples.ts'
import { type Kassa, openShop } from '../harness.ts'
import { GALLERY_TEXTS } from '../pages/gallery-facts.ts'
import { GALLERY } from '../pages/page-gallery.ts'
import { normalise, normalisePage } from './normalise.ts'

export function hostedPages(): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [name, show] of Object.entries(GALLERY))
    for (const locale of LOCALES)
      texts.set(`hosted/${name}.${locale}.html`, normalisePage(show(locale, GALLERY_TEXTS)))
  return texts
}

export function openApi(): string {
  return `${JSON.stringify(openApiDocument('https://pay.example'), null, 2)}\n`
}

export async function consolePages(kassa: Kassa): Promise<Map<string, string>> {
  const desk = await startDesk(kassa.worlds)
  try {
    const [shop, other] = [await openShop(kassa.ctx), await openShop(kassa.ctx)]
    const examples = await makeExamples(kassa, shop, other)
    const everyone = { role: 'administrator', email: 'a@pay.example' } as const
    const owner = { role: 'shop', email: 'o@shop.example', merchantId: shop.merchantId } as const
    return new Map([
      ...(await screens('stranger', openBrowser(desk), examples)),
      ...(await screens('administrator', (await openAs(kassa.ctx, desk, everyone)).browser, examples)),
      ...(await screens('shop', (await openAs(kassa.ctx, desk, owner)).browser, examples)),
    ])
  } finally {
    await desk.close()
  }
}

async function screens(who: string, browser: TestBrowser, examples: Examples): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const pages = CONSOLE_PAGES.filter(
    ({ method, needs }) => method === 'get' && (who === 'stranger') === (needs === 'nobody'),
  )
  for (const page of pages)
    for (const locale of LOCALES) {
      browser.cookies.set('kassa_console_locale', locale)
      const { status, location, text, headers } = await browser.get(addressOf(page, examples))
      const isPage = headers.get('content-type')?.startsWith('text/html')
      if (status === 200 && isPage && !text.includes(`<html lang="${locale}"`))
        throw new Error(`${page.path} is not in ${locale}`)
      const name = page.path.replaceAll('/:', '/').replaceAll('/', '.').replace(/^\./, '') || 'start'
      texts.set(
        `console-${who}/${name}.${locale}.html`,
        `${status} ${normalise(location ?? '')}\n${isPage ? normalisePage(text) : normalise(text)}\n`,
      )
    }
  return texts
}
