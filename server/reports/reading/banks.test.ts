/**
 * Statements in the shapes in which banks and payment services write them. Each has two transfers of ours, 1,234.50 and 23.75 on 28
 * November 2026, and one line of 5.00 that went. The rest of the file has no lines.
 */
import { describe, expect, test } from 'vitest'
import { type Given, linesOf, understandText } from '../../testing/books/reading.ts'

const A = 'MAPZ2VEK'
const B = '7K3M9QXD'
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
const lines = (...rows: string[]) => `${rows.join('\r\n')}\r\n`
/** Windows-1251 of Russian capitals and small letters. */
const cyrillic = (text: string) =>
  Buffer.from([...text].map((char) => (char < '\u0080' ? char.charCodeAt(0) : char.charCodeAt(0) - 0x350)))
/** The same in the encoding of DOS. */
const dos = (text: string) =>
  Buffer.from(
    [...text].map((char) => {
      const code = char.charCodeAt(0)
      return code < 0x80 ? code : code < 0x440 ? code - 0x410 + 0x80 : code - 0x440 + 0xe0
    }),
  )
const USD: Given = { answers: { currency: 'USD' } }

const BANKS: Record<string, [content: string | Buffer, currency: string, given?: Given]> = {
  'a bank of Armenia for companies, UTF-16 and tabs': [
    utf16(
      lines(
        'Հաշվի քաղվածք',
        'Հաշվի համար\t1570012345670100',
        'Ժամանակահատված\t01/11/2026 - 30/11/2026',
        'Սկզբնական մնացորդ\t100,000.00',
        '',
        'Ամսաթիվ\tՓաստ. N\tՏեսակ\tՇահառու/Վճարող\tՆպատակ\tԵլք\tՄուտք\tՄնացորդ',
        `28/11/2026\t1\tMT\tExample LLC\t${A}\t\t1,234.50\t101,234.50`,
        `28/11/2026\t2\tMT\tExample LLC\tOrder ${B} thank you\t\t23.75\t101,258.25`,
        '29/11/2026\t3\tFEE\tBank\tcommission\t5.00\t\t101,253.25',
        'Ընդամենը\t\t\t\t\t5.00\t1,258.25\t',
        'Վերջնական մնացորդ\t101,253.25',
      ),
    ),
    'USD',
    USD,
  ],
  'a bank of Armenia, with the currency above the table': [
    lines(
      '"Հաշվի համար";"220012345670000"',
      '"Արժույթ";"USD"',
      '"Ամսաթիվ";"Գործարքի նկարագրություն";"Դեբետ";"Կրեդիտ";"Մնացորդ"',
      `"28.11.2026";"Փոխանցում ${A}";"";"1,234.50";"2,234.50"`,
      `"28.11.2026";"Փոխանցում ${B}";"";"23.75";"2,258.25"`,
      '"29.11.2026";"Սպասարկում";"5.00";"";"2,253.25"',
    ),
    'USD',
  ],
  'a bank of Armenia, with zeros in the other column': [
    lines(
      'Գործարքի ամսաթիվ,Հաշվառման ամսաթիվ,Մուտք,Ելք,Արժույթ,Նկարագրություն',
      `28/11/2026,29/11/2026,"1,234.50",0.00,USD,"${A}, վճարում"`,
      `28/11/2026,29/11/2026,23.75,0.00,USD,${B}`,
      '28/11/2026,29/11/2026,0.00,5.00,USD,fee',
    ),
    'USD',
  ],
  'a bank of Russia for companies: a head of two rows, and counts below': [
    lines(
      ';ВЫПИСКА ОПЕРАЦИЙ ПО ЛИЦЕВОМУ СЧЕТУ;;40702810000000000001;;;;;',
      ';за период с 01 ноября 2026 г. по 30 ноября 2026 г.;;;;;;;',
      ';Дата проводки;Счет;;Сумма по дебету;Сумма по кредиту;№ документа;ВО;Назначение платежа',
      ';;Дебет;Кредит;;;;;',
      `;28.11.2026;40702810000000000009;40702810000000000001;;1234,50;15;01;Оплата заказа ${A}, НДС не облагается`,
      `;28.11.2026;40702810000000000009;40702810000000000001;;23,75;16;01;Оплата по счету ${B}`,
      ';29.11.2026;40702810000000000001;70601810000000000001;5,00;;17;17;Комиссия',
      ';;;;;;;;',
      ';Количество операций;;;1;2;;;',
      ';Входящий остаток;;;;10 000,00;(П);;',
      ';Итого оборотов;;;5,00;1 258,25;;;',
      ';Исходящий остаток;;;;11 253,25;(П);;',
    ),
    'RUB',
    { answers: { currency: 'RUB' } },
  ],
  'a bank of Russia, with a payment that failed': [
    lines(
      '"Дата операции";"Дата платежа";"Номер карты";"Статус";"Сумма операции";"Валюта операции";"Сумма платежа";"Валюта платежа";"Категория";"Описание"',
      `"28.11.2026 12:10:00";"28.11.2026";"";"OK";"1234,50";"RUB";"1234,50";"RUB";"Пополнения";"${A}"`,
      `"28.11.2026 12:11:00";"28.11.2026";"";"OK";"23,75";"RUB";"23,75";"RUB";"Пополнения";"Заказ ${B}"`,
      '"28.11.2026 12:12:00";"28.11.2026";"*1234";"OK";"-5,00";"RUB";"-5,00";"RUB";"Супермаркеты";"x"',
      '"28.11.2026 12:12:00";"";"*1234";"FAILED";"-77,00";"RUB";"-77,00";"RUB";"Супермаркеты";"x"',
    ),
    'RUB',
  ],
  'a program of DOS in Russia': [
    dos(
      lines(
        'Дата;Плательщик;Назначение платежа;Приход;Расход',
        `28.11.2026;ООО Пример;Оплата ${A};1234,50;`,
        `28.11.2026;ООО Пример;Оплата заказа ${B};23,75;`,
        '28.11.2026;Банк;Комиссия;;5,00',
      ),
    ),
    'RUB',
    { answers: { currency: 'RUB' } },
  ],
  'a bank of Ukraine, Windows-1251, with a column for the hour': [
    cyrillic(
      lines(
        'Дата;Час;Категория;Описание операции;Сумма в валюте карты;Валюта карты;Остаток на конец периода',
        `28.11.2026;10:11;Переводы;Заказ ${A};1234,50;USD;1234,50`,
        `28.11.2026;10:12;Переводы;Заказ ${B};23,75;USD;1258,25`,
        '28.11.2026;10:12;Покупки;x;-5,00;USD;1253,25',
      ),
    ),
    'USD',
  ],
  'a bank of Germany, Windows-1252, with a balance above and below': [
    Buffer.from(
      lines(
        'Umsätze Girokonto;;;;Kundennummer: 100 1234567',
        '01.11.2026 - 30.11.2026',
        'Letzter Kontostand;;;;5.000,00;EUR',
        'Buchungstag;Wert;Umsatzart;Begünstigter / Auftraggeber;Verwendungszweck;IBAN;Kundenreferenz;Fremde Gebühren;Betrag;Soll;Haben;Währung',
        `28.11.2026;28.11.2026;SEPA-Gutschrift;Müller;Rechnung ${A};DE02120300000000202051;;;;;1.234,50;EUR`,
        `28.11.2026;28.11.2026;SEPA-Gutschrift;Groß;${B};DE02120300000000202051;;;;;23,75;EUR`,
        '28.11.2026;28.11.2026;Lastschrift;x;Strom;DE02120300000000202051;;;;-5,00;;EUR',
        'Kontostand;30.11.2026;;;6.253,25;EUR',
      ),
      'latin1',
    ),
    'EUR',
  ],
  'a bank of Germany, with the currency in the name of the column': [
    lines(
      '"Booking Date","Value Date","Partner Name",Type,"Payment Reference","Amount (EUR)","Original Amount","Original Currency"',
      `2026-11-28,2026-11-29,X,"Credit Transfer",${A},1234.50,,`,
      `2026-11-28,2026-11-29,Y,"Credit Transfer","Bestellung ${B}",23.75,,`,
      '2026-11-28,2026-11-29,Shop,Presentment,,-5.0,-5.80,USD',
    ),
    'EUR',
  ],
  'a bank of the Netherlands: amounts without a sign, and a word beside': [
    lines(
      '"Datum","Naam / Omschrijving","Rekening","Code","Af Bij","Bedrag (EUR)","Mutatiesoort","Mededelingen"',
      `"20261128","X","NL02BANK0123456789","OV","Bij","1234,50","Overschrijving","${A}"`,
      `"20261128","Y","NL02BANK0123456789","OV","Bij","23,75","Overschrijving","order ${B}"`,
      '"20261128","Z","NL02BANK0123456789","IC","Af","5,00","Incasso",""',
    ),
    'EUR',
  ],
  'a bank of Latvia: letters for the direction': [
    lines(
      '"Klienta konts";"Ieraksta tips";"Datums";"Saņēmējs";"Informācija saņēmējam";"Summa";"Valūta";"Debets/Kredīts"',
      `"LV80";"20";"28.11.2026";"X";"${A}";"1234,50";"EUR";"K"`,
      `"LV80";"20";"28.11.2026";"Y";"Order ${B}";"23,75";"EUR";"K"`,
      '"LV80";"20";"28.11.2026";"Z";"x";"5,00";"EUR";"D"',
    ),
    'EUR',
  ],
  'a bank of Norway': [
    lines(
      'Dato;Forklaring;Rentedato;Ut fra konto;Inn på konto',
      `28.11.2026;Betaling ${A};29.11.2026;;1.234,50`,
      `28.11.2026;${B};29.11.2026;;23,75`,
      '28.11.2026;gebyr;29.11.2026;5,00;',
    ),
    'NOK',
    { answers: { currency: 'NOK' } },
  ],
  'a bank of Hungary: days with a point at the end': [
    lines(
      'Könyvelés dátuma;Összeg;Devizanem;Partner neve;Közlemény',
      `2026.11.28.;1234,50;HUF;X;${A}`,
      `2026.11.28.;23,75;HUF;Y;${B} rendelés`,
      '2026.11.28.;-5,00;HUF;Z;x',
    ),
    'HUF',
  ],
  'an account of many currencies, with a line that was reverted': [
    lines(
      'Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance',
      `TOPUP,Current,2026-11-27 23:00:01,2026-11-28 09:00:03,Payment ${A},1234.50,0.00,USD,COMPLETED,1234.50`,
      `TOPUP,Current,2026-11-27 23:00:01,2026-11-28 10:00:03,${B},23.75,0.00,USD,COMPLETED,1258.25`,
      'TRANSFER,Current,2026-11-28 11:00:01,2026-11-28 11:00:03,To X,-5.00,0.20,USD,COMPLETED,1253.05',
      'CARD_PAYMENT,Current,2026-11-28 11:00:01,,Shop,-9.00,0.00,USD,REVERTED,',
    ),
    'USD',
  ],
  'an account of many currencies, with times of UTC': [
    lines(
      'Date started (UTC),Date completed (UTC),ID,Type,State,Description,Reference,Orig currency,Orig amount,Payment currency,Amount,Fee,Fee currency',
      `2026-11-27 21:30:00,2026-11-28 00:30:00,a-1,TOPUP,COMPLETED,Money added,${A},USD,1234.50,USD,1234.50,0.00,USD`,
      `2026-11-27 21:31:00,2026-11-28 00:31:00,a-2,TOPUP,COMPLETED,Money added,Order ${B},USD,23.75,USD,23.75,0.00,USD`,
      '2026-11-27 21:31:00,2026-11-28 00:31:00,a-3,TRANSFER,COMPLETED,To Z,,USD,-5.00,USD,-5.00,0.20,USD',
    ),
    'USD',
    { timeZone: 'America/New_York' },
  ],
  'a service for transfers': [
    lines(
      '"Transfer ID",Date,"Date Time",Amount,Currency,Description,"Payment Reference","Running Balance","Payer Name","Total fees","Transaction Type"',
      `TRANSFER-100,28-11-2026,"28-11-2026 10:11:12.123",1234.50,USD,"Received money from X with reference ${A}",${A},2234.50,X,0.00,CREDIT`,
      `TRANSFER-101,28-11-2026,"28-11-2026 10:12:12.123",23.75,USD,"Received money from Y",order ${B},2258.25,Y,0.00,CREDIT`,
      'TRANSFER-102,28-11-2026,"28-11-2026 11:12:12.123",-5.00,USD,"Sent money to Z",,2253.25,,0.20,DEBIT',
    ),
    'USD',
  ],
  'a service for payouts: two columns, a third amount without a sign, a line that was cancelled': [
    lines(
      'Transaction Date,Transaction Time,Time Zone,Transaction ID,Description,Credit Amount,Debit Amount,Currency,Transfer Amount,Transfer Amount Currency,Status,Running Balance',
      `11-28-2026,10:11:12,UTC,1001,"Payment from X (${A})",1234.50,,USD,1234.50,USD,Completed,1234.50`,
      `11-28-2026,11:11:12,UTC,1002,Payment from Y ${B},23.75,,USD,23.75,USD,Completed,1258.25`,
      '11-28-2026,12:11:12,UTC,1003,Withdrawal,,5.00,USD,5.00,USD,Completed,1253.25',
      '11-28-2026,12:11:13,UTC,1004,Withdrawal,,6.00,USD,6.00,USD,Cancelled,1253.25',
    ),
    'USD',
  ],
  'a wallet: sales and returns without a sign': [
    lines(
      'Date,Number,Type,Payer,Amount,Commission,Text,Currency',
      `28.11.2026 10:11,10001,Sale,099,"1,234.50",12.35,EDP ${A},AMD`,
      `28.11.2026 10:12,10002,Sale,099,23.75,0.24,${B},AMD`,
      '28.11.2026 10:12,10003,Refund,099,5.00,0.00,EDP 3,AMD',
    ),
    'AMD',
  ],
}

describe.each(Object.entries(BANKS))('%s', (_, [content, currency, given = {}]) => {
  test('is read', async () => {
    const read = await linesOf(content, { timeZone: 'UTC', ...given })
    const money = read.map(({ at, kind, amountMinor, currency: code, texts }) => [
      at.toISOString().slice(0, 8),
      kind,
      amountMinor,
      code,
      texts.some((text) => text.includes(A)) ? 'A' : texts.some((text) => text.includes(B)) ? 'B' : '',
    ])
    expect(money).toEqual([
      ['2026-11-', 'taken', 123_450, currency, 'A'],
      ['2026-11-', 'taken', 2_375, currency, 'B'],
      ['2026-11-', 'returned', 500, currency, ''],
    ])
    for (const { at } of read.slice(0, 2)) expect(at.toISOString().slice(0, 10)).toBe('2026-11-28')
  })
})

describe('what one file alone does not say is asked', () => {
  const ask = async (content: string | Buffer, given: Given = {}) =>
    (await understandText(content, given)).questions
  const kinds = 'Date,Type,Amount,Currency\n2026-11-28,Նվեր,5.00,USD\n2026-11-28,Վաճառք,6.00,USD\n'

  test('whether a kind of line came or went, where no amount has a sign', async () => {
    expect(await ask(kinds)).toEqual([{ about: 'direction', words: ['Նվեր', 'Վաճառք'], column: 'Type' }])
    const minor = async (answers: NonNullable<Given['answers']>) =>
      (await linesOf(kinds, { answers })).map(({ kind }) => kind)
    expect(await minor({ credit: 'Վաճառք' })).toEqual(['returned', 'taken'])
    expect(await minor({ unsigned: 'came' })).toEqual(['taken', 'taken'])
    expect(await ask(kinds.replace(',5.00', ',-5.00'))).toEqual([])
  })

  test('what an amount without a sign means beside others with a plus or CR', async () => {
    for (const mark of ['+100.00', '100.00 CR', '+$100.00', '100.00CR']) {
      const text = `Date,Text,Amount\n2026-11-28,x,20.00\n2026-11-29,y,${mark}\n`
      const answers = { currency: 'USD' } as const
      expect([mark, await ask(text, { answers })]).toMatchObject([
        mark,
        [{ about: 'unsigned', text: '20.00', line: 2 }],
      ])
      const money = async (unsigned: 'came' | 'went') =>
        (await linesOf(text, { answers: { ...answers, unsigned } })).map(({ kind }) => kind)
      expect([mark, await money('went')]).toEqual([mark, ['returned', 'taken']])
      expect([mark, await money('came')]).toEqual([mark, ['taken', 'taken']])
    }
  })

  test('which statuses moved money, where nobody knows their words', async () => {
    const text = 'Date,Status,Amount,Currency\n2026-11-28,Completed,5.00,USD\n2026-11-28,Zork,6.00,USD\n'
    expect(await ask(text)).toEqual([{ about: 'status', words: ['Completed', 'Zork'] }])
    expect(await linesOf(text, { answers: { statuses: ['Completed'] } })).toHaveLength(1)
    expect(await ask(text.replace('Zork', 'Declined'))).toEqual([])
    expect(await linesOf(text.replace('Zork', 'Declined'))).toHaveLength(1)
  })

  test('the encoding, where letters of two alphabets may be meant', async () => {
    const text = Buffer.from(
      `Date,Name,Amount,Currency\n2026-11-28,\xcd\xe5\xf2,5.00,USD\n2026-11-28,M\xfcller,6.00,USD\n`,
      'latin1',
    )
    const [question] = await ask(text)
    expect(question).toMatchObject({
      about: 'encoding',
      choices: [
        { text: '2026-11-28,Нет,5.00,USD', answers: { encoding: 'windows-1251' } },
        { text: '2026-11-28,Íåò,5.00,USD', answers: { encoding: 'windows-1252' } },
      ],
    })
    const { table } = await understandText(text, { answers: { encoding: 'windows-1252' } })
    expect(table.encoding).toBe('windows-1252')
  })
})

test('a line without a word for its direction is refused with its place', async () => {
  const text =
    'Date,D/C,Amount,Currency\n2026-11-28,C,5.00,USD\n2026-11-28,D,5.00,USD\n2026-11-28,,7.00,USD\n'
  await expect(linesOf(text)).rejects.toThrow('Line 4 does not say whether its money came or went.')
})

test('names of columns that nobody knows are names all the same, unless a person says that there are none', async () => {
  const text = 'Zork;Blub;Foo\n28.11.2026;a;1234,50\n29.11.2026;b;-5,00\n'
  const { table, format } = await understandText(text, USD)
  expect([table.layout.names, format.columns.at, format.columns.amount]).toEqual([
    ['Zork', 'Blub', 'Foo'],
    'Zork',
    'Foo',
  ])
  const own = { head: 'none', columns: { at: '1', amount: '3', texts: ['2'] }, currency: 'USD' }
  expect(await linesOf(text, { own })).toMatchObject([{ amountMinor: 123_450 }, { amountMinor: 500 }])
})

test('a statement of a card has money that went alone, and a payment with a minus', async () => {
  const text = 'Date,Text,Spent\n28/11/2026,x,5.00\n29/11/2026,payment,-20.00\n'
  const own = { columns: { at: 'Date', debit: 'Spent' }, currency: 'GBP' }
  expect(await linesOf(text, { own })).toMatchObject([
    { kind: 'returned', amountMinor: 500 },
    { kind: 'taken', amountMinor: 2000 },
  ])
})
