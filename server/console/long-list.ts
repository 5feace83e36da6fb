/** Lists that may get long: pages of them, and a field that finds a name. Each page costs the same, however long the list is. */
import { html, type Markup } from '../pages/html.ts'
import type { Locale } from '../pages/words/locale.ts'
import type { OwnVisit } from './page.ts'
import { addressWith, moreLink } from './parts.ts'
import { type ConsoleKey, translate, translateAny } from './words/translate.ts'

export const PAGE = 25
const TEXT_CHARS_MAX = 120
/** A position has ids, and of a review an address of up to 500 characters. The id of a product may have joined signs, such as 👨‍👧. */
const POSITION = /^[^\p{Cc}\p{Cs}]{1,700}$/u

/** `after`: empty on the first page. `part`: of a name; null for the whole list. */
export type ListRequest = { after: string; part: string | null; limit: number }

/** What the address asks of the list. What no list could have given out begins it anew. */
export function listRequestOf({ query }: Pick<OwnVisit, 'query'>): ListRequest {
  const { after = '', q = '' } = query
  const part = q.replaceAll(/\p{C}/gu, '').trim().slice(0, TEXT_CHARS_MAX)
  return { after: positionOf(after), part: part || null, limit: PAGE }
}

export const positionOf = (text = '') => (POSITION.test(text) ? text : '')

/** Shown where the list has several pages. */
export function findField(
  locale: Locale,
  { after, part }: ListRequest,
  { next, label = 'listFind' }: { next: string | null; label?: ConsoleKey },
): Markup {
  if (next === null && after === '' && part === null) return null
  return html`<search>
    <form method="get" class="fields">
      <p class="field">
        <label for="q">${translateAny(locale, label)}</label>
        <input id="q" name="q" type="search" value=${part ?? ''} maxlength=${TEXT_CHARS_MAX} autocomplete="off" />
      </p>
      <button class="button quiet">${translate(locale, 'show')}</button>
    </form>
  </search>`
}

/** `none`: what is said where there is nothing at all. */
export function noneOf(
  locale: Locale,
  { after, part }: ListRequest,
  { count, next, none }: { count: number; next: string | null; none: ConsoleKey },
): Markup {
  if (count > 0) return null
  const isCut = after !== '' || part !== null || next !== null
  return html`<p class="lead">${translateAny(locale, next !== null ? 'listNoneSoFar' : isCut ? 'listNone' : none)}</p>`
}

/** The way to the next page. */
export function nextOf(locale: Locale, path: string, { part }: ListRequest, next: string | null): Markup {
  return moreLink(locale, next === null ? null : addressWith(path, { q: part, after: next }))
}
