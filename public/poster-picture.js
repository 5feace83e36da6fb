/** Draws a picture for social networks from the texts, the photo and the code on the paper of a poster. */

const MARGIN = 72
const SERIF = 'Georgia, "Noto Serif", "Noto Serif Armenian", Sylfaen, serif'
const SANS = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Armenian", sans-serif'

/** Where each part stands. A story is covered at its top and at its end by the network's own controls. */
const LAYOUTS = {
  square: {
    head: 470,
    code: { x: 668, y: 530, side: 360 },
    words: { x: MARGIN, y: 490, width: 560, height: 450, align: 'left' },
    link: { y: 970, height: 90, ink: 'on-poster' },
    band: { y: 950, height: 130 },
    test: 0,
    logo: 90,
  },
  story: {
    head: 720,
    code: { x: 310, y: 1110, side: 460 },
    words: { x: 540, y: 740, width: 936, height: 370, align: 'center' },
    link: { y: 1565, height: 90, ink: 'poster-ink' },
    band: { y: 1680, height: 240 },
    test: 250,
    logo: 340,
  },
}

/** `face`: the texts. `paper`: the element with the colours. */
export async function drawPicture(canvas, face, paper) {
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
  const layout = LAYOUTS[canvas.dataset.picture]
  const on = { pen, width, texts, colour }

  fillBox(on, 'poster-paper', 0, height)
  fillBox(on, 'poster-fill', 0, layout.head)
  fillBox(on, 'poster-fill', layout.band.y, layout.band.height)
  if (isLoaded(photo)) drawCovering(pen, photo, width, layout.head)
  else drawOnFill(on, layout)
  drawWords(on, layout.words, isLoaded(photo))
  drawCode(pen, face.querySelector('.qr-code'), layout.code)
  const link = fitLines(pen, texts('link'), {
    font: `600 SIZEpx ${SANS}`,
    from: 46,
    width: width - MARGIN,
    height: layout.link.height,
  })
  writeCentred(on, link, layout.link)
  if (isLoaded(logo)) drawLogo(on, logo, layout.logo)
  drawTestMark(on, layout.test)
}

function fillBox({ pen, width, colour }, ink, y, height) {
  pen.fillStyle = colour(ink)
  pen.fillRect(0, y, width, height)
}

const isLoaded = (image) => Boolean(image?.complete && image.naturalWidth > 0)

/** As `object-fit: cover`. */
function drawCovering(pen, image, width, height) {
  const scale = Math.max(width / image.naturalWidth, height / image.naturalHeight)
  const [w, h] = [width / scale, height / scale]
  const [x, y] = [(image.naturalWidth - w) / 2, (image.naturalHeight - h) / 2]
  pen.drawImage(image, x, y, w, h, 0, 0, width, height)
}

/** Without a photo the product's name fills the head. */
function drawOnFill(on, { test, head }) {
  const y = test + 100
  const height = head - y - 40
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

function drawTestMark(on, y) {
  const marks = on.texts('test')
  if (marks.length === 0) return
  const height = 66
  fillBox(on, 'ribbon', y, height)
  const how = { font: `700 SIZEpx ${SANS}`, from: 38, width: on.width - MARGIN, height }
  writeCentred(on, fitLines(on.pen, [marks.join(' · ')], how), { y, height, ink: 'on-ribbon' })
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
