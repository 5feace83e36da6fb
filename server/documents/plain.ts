/** The pages as Markdown, for programs that read text: made from what a page shows, so nothing is said twice. */
import { Parser } from 'htmlparser2'

const HEADING = /^h([1-4])$/
/** What only helps a person to find their way on a page. */
const LEFT_OUT = ['nav', 'figcaption', 'form', 'button']
const LISTS = ['ul', 'ol']
const BLOCKS = ['p', 'div', 'section', 'article', 'figure', 'details', 'summary', 'table', 'blockquote']
const CELLS = ['th', 'td']
/** Text after one of these begins a paragraph. */
const ENDS = [...BLOCKS, ...LISTS]
const AROUND: Record<string, string> = { strong: '**', b: '**', em: '_' }
const MARKERS: Record<string, string> = { ul: '- ', ol: '1. ' }

/** Returns marks that do not occur in the code. With any other marks the code could end too early. */
function marksAround(code: string, least: number): string {
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map((run) => run.length))
  return '`'.repeat(longest < least ? least : longest + 1)
}

function inlineCode(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ')
  const marks = marksAround(line, 1)
  return /^`|`$/.test(line) ? `${marks} ${line} ${marks}` : `${marks}${line}${marks}`
}

/** The content of a list item is indented under its text, behind its marker. */
const indentOf = (lists: string[]) =>
  ' '.repeat(lists.reduce((sum, each) => sum + (MARKERS[each]?.length ?? 0), 0))

class Page {
  text = ''
  /** In how many elements that are one line in Markdown, whatever is in them: headings, cells and links. */
  private inOneLine = 0
  private isInCell = false
  /** A block has ended, and what follows begins a new line. */
  private isDue = false
  private isItemNew = false
  private cells = 0
  private readonly links: string[] = []
  private readonly lists: string[] = []

  private begin(line: string) {
    this.isDue = false
    if (this.inOneLine > 0) this.text += /[ []$/.test(this.text.slice(-1)) ? '' : ' '
    else if (!this.isItemNew) this.text += `${line}${indentOf(this.lists)}`
  }

  private beginItem() {
    if (this.inOneLine > 0) return this.begin('')
    this.isDue = false
    this.isItemNew = true
    this.text += `\n${indentOf(this.lists.slice(0, -1))}${MARKERS[this.lists.at(-1) ?? ''] ?? ''}`
  }

  write(part: string) {
    const isBlank = part.trim() === ''
    if (this.isDue && isBlank) return
    if (this.isDue) this.begin('\n\n')
    if (!isBlank) this.isItemNew = false
    this.text += this.isInCell ? part.replaceAll('|', '\\|') : part
  }

  writeCode(name: string, code: string) {
    if (name === 'code' || this.inOneLine > 0) return this.write(inlineCode(code))
    const marks = marksAround(code, 3)
    const lines = [marks, ...code.replace(/\n$/, '').split('\n'), marks]
    this.write(lines.join(`\n${indentOf(this.lists)}`))
    this.isDue = true
  }

  open(name: string, href: string) {
    const heading = HEADING.exec(name)?.[1]
    if (heading || BLOCKS.includes(name) || LISTS.includes(name) || name === 'pre') this.begin('\n\n')
    else if (name === 'br') this.begin('\n')
    else if (name === 'li') this.beginItem()
    else if (name === 'tr') this.text += `\n${indentOf(this.lists)}|`
    else if (CELLS.includes(name)) this.text += ' '
    else if (name === 'a') this.write('[')
    else if (AROUND[name]) this.write(AROUND[name])
    if (heading && this.inOneLine === 0) this.write(`${'#'.repeat(Number(heading))} `)
    if (heading || CELLS.includes(name) || name === 'a') this.inOneLine++
    if (CELLS.includes(name)) this.isInCell = true
    if (name === 'a') this.links.push(href)
    if (LISTS.includes(name)) this.lists.push(name)
    if (name === 'thead') this.cells = 0
    if (name === 'th') this.cells++
  }

  close(name: string) {
    const isHeading = HEADING.test(name)
    if (isHeading || CELLS.includes(name) || name === 'a') this.inOneLine--
    if (name === 'a') this.text += `](${this.links.pop()})`
    else if (LISTS.includes(name)) this.lists.pop()
    else if (CELLS.includes(name)) this.text += this.text.endsWith(' ') ? '|' : ' |'
    else if (name === 'thead') this.text += `\n${indentOf(this.lists)}|${' --- |'.repeat(this.cells)}`
    else if (AROUND[name]) this.text += AROUND[name]
    if (CELLS.includes(name)) this.isInCell = false
    const isInline = name === 'a' || name === 'br' || name in AROUND
    this.isDue = !isInline && (this.isDue || isHeading || ENDS.includes(name))
  }
}

/** Returns the Markdown of markup that this service wrote. */
export function markdownOf(markup: string): string {
  const page = new Page()
  let skipped = 0
  let code: { in: string; text: string } | null = null
  const parser = new Parser({
    onopentag(name, { href = '' }) {
      if (LEFT_OUT.includes(name)) skipped++
      if (skipped > 0) return
      if (!code) page.open(name, href)
      else if (name === 'br') code.text += '\n'
      if (!code && (name === 'pre' || name === 'code')) code = { in: name, text: '' }
    },
    ontext(given) {
      if (skipped > 0) return
      if (code) code.text += given
      else page.write(given.replaceAll(/\s+/g, ' '))
    },
    onclosetag(name) {
      if (LEFT_OUT.includes(name)) skipped--
      else if (skipped === 0 && !code) page.close(name)
      else if (skipped === 0 && code?.in === name) {
        page.writeCode(name, code.text)
        code = null
      }
    },
  })
  parser.end(markup)
  return `${page.text
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`
}
