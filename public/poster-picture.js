/** Draws the poster as a picture, from the texts, the photo and the code on its paper. */

const MARGIN = 72
const SERIF = 'Georgia, "Noto Serif", "Noto Serif Armenian", Sylfaen, serif'
const SANS = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Armenian", sans-serif'

/** The shape of A4 and A6. */
const SIZE = { width: 1240, height: 1754 }
/** Where each part stands. */
const LAYOUT = {
  head: 640,
  code: { x: 370, y: 1000, side: 500 },
  words: { x: 620, y: 660, width: 1096, height: 320, align: 'center' },
  act: { y: 1560, height: 100, ink: 'on-poster' },
  link: { y: 1664, height: 60, ink: 'on-poster' },
  band: { y: 1540, height: 214 },
  logo: 90,
}

/** Returns a canvas with the poster. `face`: the texts. `paper`: the element with the colours. */
export async function drawPicture(face, paper) {
  const canvas = Object.assign(document.createElement('canvas'), SIZE)
  const pen = canvas.getContext('2d')
  const { width, height } = canvas
  const styles = getComputedStyle(paper)
  const colour = (each) => styles.getPropertyValue(`--${each}`).trim()
  const texts = (part) =>
    [...face.querySelectorAll(`[data-part="${part}"]`)].map((each) => each.textContent.trim())
  const photo = face.querySelector('img[data-part="photo"]')
  const logo = face.querySelector('img[data-part="logo"]')
  // A picture that cannot be loaded is left out.
  await Promise.allSettled([photo?.decode(), logo?.decode()])
  const on = { pen, width, texts, colour }

  fillBox(on, 'poster-paper', 0, height)
  fillBox(on, 'poster-fill', 0, LAYOUT.head)
  fillBox(on, 'poster-fill', LAYOUT.band.y, LAYOUT.band.height)
  if (isLoaded(photo)) drawPhoto(pen, photo, width, LAYOUT.head)
  else drawOnFill(on)
  drawWords(on, LAYOUT.words, isLoaded(photo))
  drawCode(pen, face.querySelector('.qr-code'), LAYOUT.code)
  for (const [part, weight, from] of [
    ['act', 700, 54],
    ['link', 500, 40],
  ]) {
    const place = LAYOUT[part]
    const font = `${weight} SIZEpx ${SANS}`
    writeCentred(
      on,
      fitLines(pen, texts(part), { font, from, width: width - MARGIN, height: place.height }),
      place,
    )
  }
  if (isLoaded(logo)) drawLogo(on, logo, LAYOUT.logo)
  drawTestMark(on)
  return canvas
}

function fillBox({ pen, width, colour }, ink, y, height) {
  pen.fillStyle = colour(ink)
  pen.fillRect(0, y, width, height)
}

const isLoaded = (image) => Boolean(image?.complete && image.naturalWidth > 0)

/** A wide photo fills the head. A tall one would be cut to a strip, so it stands whole in the middle. */
function drawPhoto(pen, image, width, height) {
  const { naturalWidth, naturalHeight } = image
  if (naturalHeight <= naturalWidth) return drawCovering(pen, image, width, height)
  const shown = (naturalWidth * height) / naturalHeight
  pen.drawImage(image, (width - shown) / 2, 0, shown, height)
}

/** As `object-fit: cover`. */
function drawCovering(pen, image, width, height) {
  const scale = Math.max(width / image.naturalWidth, height / image.naturalHeight)
  const [w, h] = [width / scale, height / scale]
  const [x, y] = [(image.naturalWidth - w) / 2, (image.naturalHeight - h) / 2]
  pen.drawImage(image, x, y, w, h, 0, 0, width, height)
}

/** Without a photo the product's name fills the head. */
function drawOnFill(on) {
  const y = 100
  const height = LAYOUT.head - y - 40
  const block = fitLines(on.pen, on.texts('name'), {
    font: `600 SIZEpx ${SERIF}`,
    from: 130,
    width: on.width - 2 * MARGIN,
    height,
  })
  writeCentred(on, block, { y, height, ink: 'on-poster' })
}

/** The shop, the product if the head shows its photo, and the price: together in the middle of their room. */
function drawWords({ pen, texts, colour }, { x, y, width, height, align }, isWithName) {
  const parts = [
    { part: 'shop', font: `600 SIZEpx ${SANS}`, from: 40, ink: 'poster-soft', room: 0.25 },
    ...(isWithName
      ? [{ part: 'name', font: `600 SIZEpx ${SERIF}`, from: 84, ink: 'poster-ink', room: 0.42 }]
      : []),
    { part: 'price', font: `700 SIZEpx ${SANS}`, from: 84, ink: 'poster-accent', room: 0.25 },
  ]
  const blocks = parts.map(({ part, room, ...how }) => ({
    ...how,
    ...fitLines(pen, texts(part), { ...how, width, height: height * room }),
  }))
  let at = y + (height - blocks.reduce((sum, block) => sum + block.height, 0)) / 2
  pen.textAlign = align
  for (const block of blocks) {
    pen.fillStyle = colour(block.ink)
    at = writeLines(pen, block, x, at)
  }
}

function drawCode(pen, svg, { x, y, side }) {
  const modules = svg.viewBox.baseVal
  pen.save()
  pen.translate(x, y)
  pen.scale(side / modules.width, side / modules.height)
  pen.translate(-modules.x, -modules.y)
  for (const shape of svg.querySelectorAll('rect, path')) {
    pen.fillStyle = shape.getAttribute('fill')
    if (shape.tagName === 'path') pen.fill(new Path2D(shape.getAttribute('d')))
    else pen.fillRect(modules.x, modules.y, modules.width, modules.height)
  }
  pen.restore()
}

function drawLogo({ pen, colour }, image, y) {
  const scale = Math.min(220 / image.naturalWidth, 110 / image.naturalHeight)
  const [w, h] = [image.naturalWidth * scale, image.naturalHeight * scale]
  pen.fillStyle = colour(image.dataset.ground === 'dark' ? 'logo-dark' : 'logo-light')
  pen.fillRect(MARGIN - 12, y - 12, w + 24, h + 24)
  pen.drawImage(image, MARGIN, y, w, h)
}

function drawTestMark(on) {
  const marks = on.texts('test')
  if (marks.length === 0) return
  const height = 66
  fillBox(on, 'ribbon', 0, height)
  const how = { font: `700 SIZEpx ${SANS}`, from: 38, width: on.width - MARGIN, height }
  writeCentred(on, fitLines(on.pen, [marks.join(' · ')], how), { y: 0, height, ink: 'on-ribbon' })
}

/** Finds the largest size at which the texts have room. Long words are broken only if they would be tiny otherwise. */
function fitLines(pen, texts, { font, from, width, height }) {
  for (let size = from; ; size = Math.floor(size * 0.92)) {
    pen.font = font.replace('SIZE', size)
    const lines = texts.flatMap((text) => breakLines(pen, text, width))
    const block = { lines, font: pen.font, leading: size * 1.2, height: lines.length * size * 1.2 }
    const isWordWide =
      size > 40 && texts.some((text) => text.split(/\s+/).some((word) => pen.measureText(word).width > width))
    if (size <= 16 || (block.height <= height && !isWordWide)) return block
  }
}

/** Breaks at spaces. A word that is wider than the line is broken between two letters, never inside one. */
function breakLines(pen, text, width) {
  const isWide = (line) => pen.measureText(line).width > width
  const lines = ['']
  const add = (piece, glue) => {
    const longer = lines.at(-1) ? lines.at(-1) + glue + piece : piece
    if (!isWide(longer)) lines[lines.length - 1] = longer
    else lines.push(piece)
  }
  for (const word of text.split(/\s+/)) {
    if (!isWide(word)) add(word, ' ')
    else
      for (const [at, { segment }] of [...new Intl.Segmenter().segment(word)].entries())
        add(segment, at === 0 ? ' ' : '')
  }
  return lines.filter(Boolean)
}

function writeCentred({ pen, width, colour }, block, { y, height, ink }) {
  pen.fillStyle = colour(ink)
  pen.textAlign = 'center'
  writeLines(pen, block, width / 2, y + (height - block.height) / 2)
}

/** Returns where the text ends. */
function writeLines(pen, { lines, font, leading, height }, x, y) {
  pen.font = font
  pen.textBaseline = 'middle'
  for (const [at, line] of lines.entries()) pen.fillText(line, x, y + leading * (at + 0.5))
  return y + height
}
