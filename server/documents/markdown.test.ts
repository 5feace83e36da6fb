import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderMarkup } from '../http/docs/shell.ts'
import { listGuides } from './guides.ts'
import { readMarkdown } from './markdown.ts'

const show = (text: string, resolve = (href: string): string | null => href) =>
  renderMarkup(readMarkdown(`# Title\n\nLead.\n\n${text}`, resolve).body)

test('raw HTML in a file is text', () => {
  const html = show('A <b onclick="x()">bold</b> word.\n\n<script>alert(1)</script>\n\n<!-- hidden -->')
  expect(html).not.toMatch(/<b|<script|<!--/)
  expect(html).toContain('&lt;script>')
  // A comment is for those who write the file.
  expect(html).not.toContain('hidden')
})

test('an address that would run is no link', () => {
  const html = show('[a](javascript:alert(1)) ![b](data:text/html,x) [c](/docs/testing)', (href) =>
    href.startsWith('/docs') ? href : null,
  )
  expect(html).not.toMatch(/javascript:|data:/)
  expect(html).toContain('<a href="/docs/testing">c</a>')
})

test('a heading has the id that file hosts give it, and a second one of the same name another', () => {
  const html = show("## The bank's `answer`, late\n\n## Again\n\n### Again")
  expect(html).toContain('<h2 id="the-banks-answer-late">')
  expect(html).toContain('<h2 id="again">')
  expect(html).toContain('<h3 id="again-1">')
})

test('lists, tables, code and marks become elements', () => {
  const html = show(
    '1. one\n2. **two**\n\n- *a*\n\n  b\n\n| x | y |\n|---|---|\n| `1` | 2 |\n\n```sh\nnpm ci\n```',
  )
  for (const part of [
    '<ol start="1"><li>one</li><li><strong>two</strong></li></ol>',
    '<em>a</em>',
    '<code>1</code>',
  ])
    expect(html).toContain(part)
  expect(html).toMatch(/<figcaption>Shell<\/figcaption>.*npm ci/s)
})

test('the list of guides takes new files as they come, and misses those that are not there', async () => {
  const root = await mkdtemp(join(tmpdir(), 'kassa-guides-'))
  await mkdir(join(root, 'server/guides'), { recursive: true })
  for (const name of ['zebra', 'testing', 'settings', 'notes.txt'])
    await writeFile(join(root, 'server/guides', name.includes('.') ? name : `${name}.md`), '# A guide\n')
  expect(listGuides(root).map(({ name, group }) => [name, group])).toEqual([
    ['testing', 'For a shop’s developer'],
    ['settings', 'For whoever runs the service'],
    ['zebra', 'For whoever runs the service'],
  ])
  await rm(root, { recursive: true })
})
