/** What a merchant, a buyer or an address says is text on every page and in every state, whatever it looks like (T24). */
import { describe, expect, test } from 'vitest'
import { XSS_STRINGS } from '../../../e2e/support/xss-strings.ts'
import { GALLERY_TEXTS } from '../../testing/gallery-facts.ts'
import { GALLERY } from '../../testing/page-gallery.ts'

/** The page's tags, in order, without what only the text decides: the length of a line, the way back. */
function tagsOf(page: string): string[] {
  return [...page.matchAll(/<(\/?[a-z!][a-z0-9]*)((?:[^"'>]|"[^"]*"|'[^']*')*)>/gi)]
    .filter(([tag]) => !/data-testid="back"/.test(tag))
    .map(([, name = '', attributes = '']) => {
      const names = [...attributes.matchAll(/([^\s"'=<>/]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?/g)]
      return [name, ...names.map(([, each]) => each).filter((each) => each !== 'class')].join(' ')
    })
}

/** An address that leads nowhere takes its element with it. */
const gone = (tags: string[]) => tags.filter((tag) => !/^\/?(a|form|button|input|div)\b/.test(tag)).sort()

test('there are at least 60 texts', () => {
  expect(new Set(XSS_STRINGS).size).toBeGreaterThanOrEqual(60)
})

describe.each(Object.entries(GALLERY))('%s', (_, show) => {
  const plain = gone(tagsOf(show('en', GALLERY_TEXTS)))

  test('has the same elements and attributes with every hostile text as with a plain one', () => {
    for (const text of XSS_STRINGS) {
      const hostile = show('en', {
        merchantName: text,
        merchantOrderId: text,
        description: text,
        address: text,
      })
      expect([text, gone(tagsOf(hostile))]).toEqual([text, plain])
      expect(hostile).not.toMatch(/(?:href|action|src)="\s*(?:javascript|vbscript|data|\/\/)/i)
    }
  })
})
