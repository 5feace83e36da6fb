/**
 * The words that people use for one thing, in Armenian, Russian and English: a row for each thing. A word of the table stands for
 * all words that begin with it. Whoever searches for one of a row also finds the others, after the pages with the very word.
 */
const ROWS = [
  'refund,refunds,give money back,returned,reimburs,moneyback,возврат,вернут,верни,возвращ,վերադարձ',
  'chargeback,dispute,disputed,complain,чарджб,чардже,спор,оспар,оспор,диспут,жалоб,пожалов,չարջբ,վեճ,վիճարկ,բողոք',
  'poster,placard,leaflet,flyer,sticker,плакат,постер,листовк,объявлен,наклейк,պաստառ,պլակատ,ազդագ,թռուցիկ',
  'qr,barcode,куар,кюар,քյուար,քուառ',
  'invoice,bill,счет,инвойс,հաշիվ,ապրանքագիր,ինվոյս',
  'link,url,ссылк,линк,հղում,հղմ,լինկ',
  'pack,parcel,ship,shipping,deliver,dispatch,упаков,собрат,собер,посылк,отправ,достав,փաթեթ,ծանրոց,առաք',
  'slip,label,лист,накладн,этикетк,թերթիկ,պիտակ',
  'price,cost,цен,стоим,գին,գնի,արժե',
  'money,cash,деньг,денег,деньга,գումար,փող,դրամ',
  'transfer,wire,iban,перевод,перечисл,փոխանց',
  'live,production,настоящ,реальн,боев,запуст,իրական,գործարկ',
  'test,trial,sandbox,тест,пробн,песочниц,փորձ',
  'order,заказ,պատվեր',
  'mail,email,e-mail,письм,почт,уведомл,նամակ,փոստ',
  'print,printer,распечат,напечат,печат,принтер,տպ',
  'button,кнопк,կոճակ',
  'customer,buyer,client,покупат,клиент,գնորդ,հաճախորդ',
  'shop,store,магазин,խանութ',
  'site,website,сайт,կայք',
  'address,адрес,հասցե',
  'receipt,чек,квитанц,կտրոն,անդորրագ',
  'sell,sale,sold,прода,վաճառ',
  'card,карт,քարտ',
  'pay,payment,платеж,оплат,плат,заплат,վճար',
  'subscription,recurring,подписк,բաժանորդ',
  'signature,sign,подпис,ստորագր',
  'error,fault,ошибк,сбой,սխալ',
  'logo,branding,логотип,лого,бренд,լոգո,տարբերանշան',
  'backup,резерв,бэкап,պահուստ',
  'password,passkey,парол,ключ,գաղտնաբառ,անցաբանալի',
] as const

export const SYNONYMS: readonly (readonly string[])[] = ROWS.map((row) => row.split(','))
