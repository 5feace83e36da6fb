/** The pages as Markdown, for programs that read text: made from what a page shows, so nothing is said twice. */
import { Parser } from 'htmlparser2'

const HEADING = /^h([1-4])$/
/** What only helps a person to find their way on a page. */
const LEFT_OUT = ['nav', 'figcaption', 'form', 'button']
const BLOCKS = ['p', 'div', 'section', 'article', 'figure', 'details', 'summary', 'table', 'ul', 'ol']
const AROUND: Record<string, string> = { strong: '**', b: '**', em: '_', code: '`' }

/** Returns the Markdown of markup that this service wrote. */
export function markdownOf(markup: string): string {
  let text = ''
  let skipped = 0
  let isCode = false
  let cells = 0
  let inCell = false
  const links: string[] = []
  const lists: string[] = []
  const parser = new Parser({
    onopentag(name, { href = '' }) {
      if (LEFT_OUT.includes(name)) skipped++
      if (skipped > 0) return
      const heading = HEADING.exec(name)?.[1]
      if (heading) text += `\n\n${'#'.repeat(Number(heading))} `
      else if (name === 'pre') text += '\n\n```\n'
      else if (name === 'li')
        text += `\n${'  '.repeat(lists.length - 1)}${lists.at(-1) === 'ol' ? '1.' : '-'} `
      else if (name === 'tr') text += '\n|'
      else if (name === 'th' || name === 'td') text += ' '
      else if (name === 'a') text += '['
      else if (BLOCKS.includes(name) && lists.length === 0) text += '\n\n'
      else if (AROUND[name] && !isCode) text += AROUND[name]
      if (name === 'pre') isCode = true
      if (name === 'th' || name === 'td') inCell = true
      if (name === 'a') links.push(href)
      if (name === 'ul' || name === 'ol') lists.push(name)
      if (name === 'thead') cells = 0
      if (name === 'th') cells++
    },
    ontext(given) {
      if (skipped > 0) return
      const shown = isCode ? given : given.replaceAll(/\s+/g, ' ')
      text += inCell ? shown.replaceAll('|', '\\|') : shown
    },
    onclosetag(name) {
      if (LEFT_OUT.includes(name)) {
        skipped--
        return
      }
      if (skipped > 0) return
      if (name === 'pre') isCode = false
      if (name === 'th' || name === 'td') inCell = false
      if (name === 'pre') text += '\n```'
      else if (name === 'a') text += `](${links.pop()})`
      else if (name === 'ul' || name === 'ol') lists.pop()
      else if (name === 'th' || name === 'td') text += ' |'
      else if (name === 'thead') text += `\n|${' --- |'.repeat(cells)}`
      else if (AROUND[name] && !isCode) text += AROUND[name]
    },
  })
  parser.end(markup)
  return `${text
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`
}
