/** The document around each screen of the console, in the look of the hosted pages. Its styles stand in it, and its script does not. */
import { Fragment, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { LANGUAGES } from '../contract/languages.ts'
import { html, type Markup } from '../pages/html.ts'
import { LOCALES, type Locale } from '../pages/words/locale.ts'
import { type ConsoleVisitor, type MenuEntry, menuOf } from './menu.ts'
import { type AutomaticLook, refreshOf } from './refresh.ts'
import { STYLES } from './styles.ts'
import { translate, translateAny } from './words/translate.ts'

type Framed = {
  around?: ConsoleVisitor | undefined
  locale: Locale
  title: string
  body: Markup
  /** The path and query of the screen. Absent: it cannot be shown again in another language, because it answered a form. */
  address?: string | undefined
  /** The time zone of the days and times on the screen. */
  timeZone?: string | undefined
  isRefreshing?: boolean
  look?: AutomaticLook | null
}

export function renderScreen(framed: Framed): string {
  const { locale, title, body, address, around, timeZone, isRefreshing = false, look = null } = framed
  const document = html`<html lang=${locale}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex, nofollow" />
      <meta name="color-scheme" content="light dark" />
      <title>${title} · Kassa</title>
      <link rel="icon" href="/kassa.svg" type="image/svg+xml" />
      <link rel="apple-touch-icon" href="/icon-192.png" />
      <link rel="manifest" href="/desk.webmanifest" />
      <style></style>
      <script type="module" src="/desk.js"></script>
      ${isRefreshing && address !== undefined ? refreshOf(address, look) : null}
    </head>
    <body class="console" data-mode=${around?.world}>
      ${around ? bandOf(locale, around, address) : null}
      <main class="desk" data-words=${JSON.stringify(wordsOfScript(locale))}>${body}</main>
      <footer class="foot">
        ${timeZone === undefined ? null : html`<p class="hint" data-testid="zone">${translate(locale, 'inZone', { zone: timeZone })}</p>`}
        ${address === undefined ? null : languageList(locale, address)}
      </footer>
    </body>
  </html>`
  // Preact would escape the quotes of the styles. Nothing that a person wrote can hold this tag.
  const text = renderToString(h(Fragment, null, document)).replace(
    '<style></style>',
    () => `<style>${STYLES}</style>`,
  )
  return `<!doctype html>${text}`
}

/** What the script writes beside texts that are handed on. */
const wordsOfScript = (locale: Locale) => ({
  copy: translate(locale, 'copyThis'),
  copied: translate(locale, 'copiedThis'),
  share: translate(locale, 'shareThis'),
})

/** The band stays in view and says in words and in colour whose money this is. */
function bandOf(locale: Locale, around: ConsoleVisitor, address: string | undefined): Markup {
  const { user, world, worlds } = around
  const other = worlds.find((each) => each !== world)
  const entries = menuOf(around)
  const current = currentOf(entries, address)
  const link = ({ href, title }: Pick<MenuEntry, 'href' | 'title'>) =>
    html`<a href=${href} aria-current=${href === current ? 'page' : undefined}>${translateAny(locale, title)}</a>`
  return html`<header class="band">
    <p class=${`world ${world}`} data-testid="world">
      <strong>${translate(locale, `world_${world}`)}</strong>
      ${other ? html`<a href=${`/${other}/today`}>${translate(locale, `to_${other}`)}</a>` : null}
    </p>
    <nav aria-label=${translate(locale, 'menu')}>
      ${entries.filter(({ isFirst }) => isFirst).map(link)}
      <details class="menu">
        <summary>${translate(locale, 'menu')}</summary>
        <ul>
          ${entries.filter(({ isFirst }) => !isFirst).map((entry) => html`<li>${link(entry)}</li>`)}
          <li><a href=${`/${world}/my-sign-in`}>${translate(locale, 'ownTitle')}</a></li>
          <li>
            <form method="post" action="/sign-out">
              <span class="who">${user.name} · ${translate(locale, `role_${user.role}`)}</span>
              <button class="plain">${translate(locale, 'signOut')}</button>
            </form>
          </li>
        </ul>
      </details>
    </nav>
  </header>`
}

/** Returns the entry to which the shown screen belongs: of those above its address, the nearest. */
function currentOf(entries: readonly MenuEntry[], address: string | undefined): string | undefined {
  const [path = ''] = (address ?? '').split('?')
  const above = entries.filter(({ href }) => path === href || path.startsWith(`${href}/`))
  return above.sort((one, other) => other.href.length - one.href.length)[0]?.href
}

function languageList(locale: Locale, address: string): Markup {
  const [path, search] = address.split('?')
  const query = [...new URLSearchParams(search)].filter(([name]) => name !== 'live' && name !== 'mark')
  const linkTo = (each: Locale) => `${path}?${new URLSearchParams([...query, ['locale', each]])}`
  return html`<nav aria-label=${translate(locale, 'languages')}>
    <ul class="languages">
      ${LOCALES.map((each) =>
        each === locale
          ? html`<li lang=${each} aria-current="true">${LANGUAGES[each].own}</li>`
          : html`<li><a href=${linkTo(each)} lang=${each} hreflang=${each}>${LANGUAGES[each].own}</a></li>`,
      )}
    </ul>
  </nav>`
}
