/** A form is made of few parts with short names. Whatever is more is refused before it is parsed. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { AppError } from '../../errors.ts'
import { readForm, readFormWithFiles } from './form.ts'

let url = ''
/** Of a file in a form whose limits are small, so that the test reads little. */
const SMALL_BYTES_MAX = 100_000
const app = express()
app.post('/:kind', async (request, response) => {
  try {
    const { kind } = request.params
    const bytesMax = kind === 'small-files' ? SMALL_BYTES_MAX + 20_000 : 5_600_000
    const hasFiles = kind !== 'plain'
    const fileBytesMax = kind === 'small-files' ? SMALL_BYTES_MAX : 5 * 1024 * 1024
    response.json(
      await (hasFiles ? readFormWithFiles(request, { bytesMax, fileBytesMax }) : readForm(request, bytesMax)),
    )
  } catch (error) {
    response.status((error as AppError).row.status).json((error as AppError).code)
  }
})
const server = createServer(app)
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
afterEach(() => vi.restoreAllMocks())

const BORDER = '----WebKitFormBoundary7MA4YWxkTrZu0gW'

type Part = { name: string; text: string; isFile?: boolean }

function multipart(parts: Part[], border = BORDER): Buffer {
  const written = parts.map(({ name, text, isFile }) => {
    const file = isFile ? '; filename="statement.csv"\r\nContent-Type: text/csv' : ''
    return `--${border}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`
  })
  return Buffer.from(`${written.join('')}--${border}--\r\n`)
}
async function post(kind: string, type: string, body: Buffer | string) {
  const init = { method: 'POST', headers: { 'content-type': type }, body: new Uint8Array(Buffer.from(body)) }
  const answer = await fetch(`${url}/${kind}`, init)
  return { status: answer.status, body: await answer.json() }
}
const MULTIPART = `multipart/form-data; boundary=${BORDER}`
const URLENCODED = 'application/x-www-form-urlencoded'
const many = (count: number, text = '1'): Part[] =>
  Array.from({ length: count }, (_, index) => ({ name: `field${index}`, text }))

test('a form with a file of 5 MB, long texts and a hundred parts is read as it was sent', {
  tags: ['long'],
}, async () => {
  const file = 'date;amount\r\n'.repeat(400_000)
  const given = [{ name: 'statement', text: file, isFile: true }, ...many(99, 'x'.repeat(2_000))]
  const { status, body } = await post('files', MULTIPART, multipart(given))
  expect(status).toBe(200)
  expect(Object.keys(body.fields)).toHaveLength(99)
  expect(Buffer.from(body.files.statement.data).toString()).toBe(file)
  const text = many(100, 'tea & sugar=2')
  const query = new URLSearchParams(text.map(({ name, text }) => [name, text])).toString()
  const plain = await post('plain', URLENCODED, query)
  expect([plain.status, Object.keys(plain.body).length, plain.body.field7]).toEqual([200, 100, text[7]?.text])
})

test('a quoted border, and a border inside of a text, are understood', async () => {
  const body = multipart([{ name: 'a', text: '1' }], '----a b')
  expect(await post('files', 'multipart/form-data; charset=utf-8; boundary="----a b"', body)).toEqual({
    status: 200,
    body: { fields: { a: '1' }, files: {}, tooLong: [] },
  })
})

test.each([
  ['60,000 parts', 'files', MULTIPART, multipart(many(60_000))],
  ['101 parts', 'files', MULTIPART, multipart(many(101))],
  ['a name of 5 MB', 'files', MULTIPART, multipart([{ name: 'n'.repeat(5e6), text: '' }])],
  ['a name of 2 KB', 'files', MULTIPART, multipart([{ name: 'n'.repeat(2_000), text: '' }])],
  ['a text of 5 MB', 'files', MULTIPART, multipart([{ name: 'name', text: 'n'.repeat(5e6) }])],
  ['5 MB that are no form with files', 'files', URLENCODED, `a=${'1'.repeat(5e6)}`],
  [
    '101 fields',
    'plain',
    URLENCODED,
    many(101)
      .map(({ name }) => `${name}=1`)
      .join('&'),
  ],
  ['many empty fields', 'plain', URLENCODED, '&'.repeat(16_000)],
  ['a long name of a field', 'plain', URLENCODED, `${'n'.repeat(201)}=1`],
])('a form with %s is refused', async (_, kind, type, body) => {
  expect(await post(kind, type, body)).toEqual({ status: 413, body: 'payload_too_large' })
})

test('a file that is too long is left out, and what was typed beside it is kept', async () => {
  const photo = { name: 'photo', text: `\r\n--${BORDER.slice(1)}`.repeat(10_000), isFile: true }
  const typed = [
    { name: 'name', text: 'Tea' },
    { name: 'note', text: 'two\r\nlines' },
  ]
  for (const parts of [
    [photo, ...typed],
    [...typed, photo],
  ])
    expect(await post('small-files', MULTIPART, multipart(parts))).toEqual({
      status: 200,
      body: { fields: { name: 'Tea', note: 'two\r\nlines' }, files: {}, tooLong: ['photo'] },
    })
  // In a form that is not too long as a whole, the file alone may be.
  const little = { ...photo, text: 'x'.repeat(SMALL_BYTES_MAX + 1) }
  expect((await post('small-files', MULTIPART, multipart([little]))).body).toMatchObject({
    tooLong: ['photo'],
  })
  const cut = multipart([photo, ...typed]).subarray(0, -8)
  expect((await post('small-files', MULTIPART, cut)).status).toBe(404)
  const texts = [photo, { name: 'name', text: 'n'.repeat(20_000) }]
  expect((await post('small-files', MULTIPART, multipart(texts))).status).toBe(413)
})

test('what is no whole form is no form, and a name is understood as browsers write it', async () => {
  const whole = multipart([{ name: 'a', text: '1' }])
  for (const body of [
    whole.subarray(0, -8),
    whole.subarray(20),
    Buffer.alloc(0),
    Buffer.from(`--${BORDER}--`),
  ])
    expect([200, 404]).toContain((await post('files', MULTIPART, body)).status)
  expect((await post('files', MULTIPART, whole.subarray(0, -8))).status).toBe(404)
  const named = multipart([{ name: 'the %22name%22', text: 'Ճաշ\r\n2%0A' }])
  expect((await post('files', MULTIPART, named)).body.fields).toEqual({ 'the "name"': 'Ճաշ\r\n2%0A' })
  const form = new FormData()
  form.set('note', 'a\r\nb')
  form.set('empty', new Blob([]))
  form.set('photo', new Blob(['x'.repeat(20_000)]), 'a "b".png')
  const answer = await fetch(`${url}/files`, { method: 'POST', body: form })
  const read = (await answer.json()) as { fields: object; files: Record<string, { data: number[] }> }
  expect([read.fields, Object.keys(read.files), read.files.photo?.data.length]).toEqual([
    { note: 'a\r\nb' },
    ['photo'],
    20_000,
  ])
})

test('without a border a form is no form', async () => {
  for (const type of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="a\\"b"',
  ])
    expect((await post('files', type, multipart(many(1)))).status).toBe(404)
})
