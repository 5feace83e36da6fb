/**
 * The text of a merchant, a buyer or an address stays text on every page and in every state (T24). The short and the long test
 * both use this suite.
 */
import { describe, expect, test } from 'vitest'
import { XSS_STRINGS } from '../../e2e/support/xss-strings.ts'
import { GALLERY_TEXTS } from '../testing/pages/gallery-facts.ts'
import { GALLERY } from '../testing/pages/page-gallery.ts'

/** Returns the page's tags in order, without those that depend on the text: for long texts, and the way back. */
function tagsOf(page: string): string[] {
  return [...page.matchAll(/<(\/?[a-z!][a-z0-9]*)((?:[^"'>]|"[^"]*"|'[^']*')*)>/gi)]
    .filter(([tag]) => !/data-testid="back"/.test(tag))
    .map(([, name = '', attributes = '']) => {
      const names = [...attributes.matchAll(/([^\s"'=<>/]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?/g)]
      return [name, ...names.map(([, each]) => each).filter((each) => each !== 'class')].join(' ')
    })
}

/** An element is left out if its address may not be linked. */
const gone = (tags: string[]) => tags.filter((tag) => !/^\/?(a|form|button|input|div)\b/.test(tag)).sort()

const FIELDS = ['merchantName', 'merchantOrderId', 'description', 'address'] as const
type Texts = Record<(typeof FIELDS)[number], string>

/** Puts every text into all fields at once. */
export const inEveryField = (): Texts[] =>
  XSS_STRINGS.map((text) => Object.fromEntries(FIELDS.map((field) => [field, text])) as Texts)

/** Puts every text into one field. The field changes from page to page. */
export const inOneField = (page: number): Texts[] =>
  Array.from({ length: Math.ceil(XSS_STRINGS.length / FIELDS.length) }, (_, row) => {
    const texts = FIELDS.map((field, index): [string, string] => {
      const place = (index + page) % FIELDS.length
      return [field, XSS_STRINGS[(row * FIELDS.length + place) % XSS_STRINGS.length] ?? '']
    })
    return Object.fromEntries(texts) as Texts
  })

/** `choose`: returns the texts with which a page is shown. */
export function testHostileTexts(choose: (page: number) => Texts[]): void {
  test('there are at least 60 texts', () => {
    expect(new Set(XSS_STRINGS).size).toBeGreaterThanOrEqual(60)
    expect(new Set(choose(0).flatMap((texts) => Object.values(texts))).size).toBe(new Set(XSS_STRINGS).size)
  })

  describe.each(Object.entries(GALLERY).map(([name, show], page) => ({ name, show, page })))(
    '$name',
    ({ show, page }) => {
      const plain = gone(tagsOf(show('en', GALLERY_TEXTS)))

      test('has the same elements and attributes with every hostile text as with a plain one', () => {
        for (const texts of choose(page)) {
          const hostile = show('en', texts)
          expect([texts, gone(tagsOf(hostile))]).toEqual([texts, plain])
          expect(hostile).not.toMatch(/(?:href|action|src)="\s*(?:javascript|vbscript|data|\/\/)/i)
        }
      })
    },
  )
}
