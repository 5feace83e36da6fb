/** What people read: the settings in the dashboard, and the refusals, in the language of the request. */

export const TEXTS = {
  method: {
    en: 'Kassa: hosted payment page',
    ru: 'Kassa: страница оплаты',
    hy: 'Kassa․ վճարման էջ',
  },
  url: { en: 'Address of Kassa', ru: 'Адрес Kassa', hy: 'Kassa-ի հասցեն' },
  urlHelp: {
    en: 'Such as https://pay.example',
    ru: 'Например, https://pay.example',
    hy: 'Օրինակ՝ https://pay.example',
  },
  token: { en: 'Merchant token', ru: 'Токен магазина', hy: 'Խանութի թոքենը' },
  tokenHelp: {
    en: 'It begins with ksk_. Whoever runs your Kassa issues it.',
    ru: 'Начинается с ksk_. Его выдаёт тот, кто обслуживает вашу Kassa.',
    hy: 'Սկսվում է ksk_-ով։ Այն տալիս է ձեր Kassa-ն սպասարկողը։',
  },
  webhookSecret: { en: 'Callback secret', ru: 'Секрет для событий', hy: 'Իրադարձությունների գաղտնիքը' },
  webhookSecretHelp: {
    en: 'It begins with whsec_. While it is replaced, write both, with a space between them. Events go to /kassa/events.',
    ru: 'Начинается с whsec_. На время замены впишите оба через пробел. События приходят на /kassa/events.',
    hy: 'Սկսվում է whsec_-ով։ Փոխարինելիս գրեք երկուսն էլ՝ բացատով։ Իրադարձությունները գալիս են /kassa/events։',
  },
  wrongSecret: {
    en: 'The callback secret of Kassa is whsec_ and at least 16 bytes in base64. Copy it whole.',
    ru: 'Секрет для событий Kassa — это whsec_ и не менее 16 байт в base64. Скопируйте его целиком.',
    hy: 'Kassa-ի իրադարձությունների գաղտնիքը whsec_ է և առնվազն 16 բայթ base64-ով։ Պատճենեք այն ամբողջությամբ։',
  },
  wrongSettings: {
    en: 'Kassa refuses these settings: {why}',
    ru: 'Kassa не принимает эти настройки: {why}',
    hy: 'Kassa-ն չի ընդունում այս կարգավորումները․ {why}',
  },
  noOrder: {
    en: 'There is no order to pay. Bring the order to the state ArrangingPayment first.',
    ru: 'Нет заказа к оплате. Сначала переведите заказ в состояние ArrangingPayment.',
    hy: 'Վճարելու պատվեր չկա։ Նախ պատվերը տեղափոխեք ArrangingPayment վիճակ։',
  },
  noMethod: {
    en: 'No payment method of this channel uses Kassa, or this order may not use it.',
    ru: 'В этом канале нет способа оплаты через Kassa, или для этого заказа он не подходит.',
    hy: 'Այս ալիքում Kassa-ով վճարման եղանակ չկա, կամ այն հասանելի չէ այս պատվերի համար։',
  },
  nothingDue: {
    en: 'The order is paid already.',
    ru: 'Заказ уже оплачен.',
    hy: 'Պատվերն արդեն վճարված է։',
  },
  underWay: {
    en: 'The earlier payment of this order is still under way. Wait a minute and try again.',
    ru: 'Предыдущий платёж за этот заказ ещё обрабатывается. Подождите минуту и попробуйте снова.',
    hy: 'Այս պատվերի նախորդ վճարումը դեռ ընթացքի մեջ է։ Սպասեք մեկ րոպե և կրկին փորձեք։',
  },
  busy: {
    en: 'Kassa is still working on a payment of this order. Wait a minute, reload the order and try again.',
    ru: 'Kassa ещё выполняет операцию по платежу этого заказа. Подождите минуту, обновите заказ и попробуйте снова.',
    hy: 'Kassa-ն դեռ մշակում է այս պատվերի վճարումը։ Սպասեք մեկ րոպե, թարմացրեք պատվերը և կրկին փորձեք։',
  },
  unknownToKassa: {
    en: 'Kassa does not know the payment {id}. Was the payment method given to another merchant or another Kassa? Look there before the buyer pays again.',
    ru: 'Kassa не знает платёж {id}. Возможно, способ оплаты перевели на другой магазин или другую Kassa. Проверьте там, прежде чем покупатель заплатит снова.',
    hy: 'Kassa-ն չգիտի {id} վճարումը։ Գուցե վճարման եղանակը փոխանցվել է այլ խանութի կամ այլ Kassa-ի։ Ստուգեք այնտեղ՝ նախքան գնորդը կրկին վճարի։',
  },
  refused: {
    en: 'Kassa: {why}',
    ru: 'Kassa: {why}',
    hy: 'Kassa․ {why}',
  },
  continues: {
    en: 'Kassa has accepted this and is working on it. The order changes by itself when it is done.',
    ru: 'Kassa приняла запрос и выполняет его. Заказ изменится сам, когда всё будет готово.',
    hy: 'Kassa-ն ընդունել է հարցումը և կատարում է այն։ Ավարտից հետո պատվերն ինքն իրեն կփոխվի։',
  },
  refundedMeanwhile: {
    en: 'Money of this payment was returned meanwhile. Reload the order and look at its refunds before you return more.',
    ru: 'По этому платежу тем временем уже вернули деньги. Обновите заказ и проверьте возвраты, прежде чем возвращать ещё.',
    hy: 'Այս վճարումից արդեն գումար է վերադարձվել։ Թարմացրեք պատվերը և ստուգեք վերադարձները՝ նախքան նորը կատարելը։',
  },
  onlyByKassa: {
    en: 'Create this payment by the mutation createKassaPayment. Kassa itself reports when it is paid.',
    ru: 'Создайте этот платёж мутацией createKassaPayment. Об оплате сообщает сама Kassa.',
    hy: 'Ստեղծեք այս վճարումը createKassaPayment մուտացիայով։ Վճարման մասին հայտնում է ինքը՝ Kassa-ն։',
  },
  changed: { en: 'The order has changed.', ru: 'Заказ изменился.', hy: 'Պատվերը փոխվել է։' },
  returned: { en: 'Returned', ru: 'Возврат', hy: 'Վերադարձ' },
  outside: {
    en: 'Returned outside of Vendure',
    ru: 'Возвращено не через Vendure',
    hy: 'Վերադարձված է Vendure-ից դուրս',
  },
  doubt: {
    en: 'Kassa payment {id} was not booked: {why}. Look at it in Kassa before you deliver.',
    ru: 'Платёж Kassa {id} не учтён: {why}. Проверьте его в Kassa, прежде чем отдавать товар.',
    hy: 'Kassa-ի {id} վճարումը չի հաշվառվել․ {why}։ Ստուգեք այն Kassa-ում՝ նախքան ապրանքը հանձնելը։',
  },
  second: {
    en: 'Kassa payment {id} has brought {sum}, and this order cannot take it ({why}). If it was paid twice, return it in Kassa.',
    ru: 'Платёж Kassa {id} принёс {sum}, но заказ не может его принять ({why}). Если это вторая оплата, верните её в Kassa.',
    hy: 'Kassa-ի {id} վճարումը բերել է {sum}, սակայն պատվերը չի կարող ընդունել այն ({why})։ Եթե վճարվել է երկրորդ անգամ, վերադարձրեք այն Kassa-ում։',
  },
  difference: {
    en: 'Kassa payment {id} has brought {sum}, and the order asked for {why}: it has changed since the payment was opened.',
    ru: 'Платёж Kassa {id} принёс {sum}, а заказ требовал {why}: он изменился после открытия оплаты.',
    hy: 'Kassa-ի {id} վճարումը բերել է {sum}, իսկ պատվերը պահանջում էր {why}․ այն փոխվել է վճարումը բացելուց հետո։',
  },
  unclear: {
    en: 'Kassa payment {id} is {why}. Do not deliver, do not cancel the order and do not ask the buyer to pay again until Kassa knows more.',
    ru: 'Платёж Kassa {id}: {why}. Пока Kassa не узнает больше, не отдавайте товар, не отменяйте заказ и не просите платить снова.',
    hy: 'Kassa-ի {id} վճարումը՝ {why}։ Մինչև Kassa-ն ավելին չիմանա, մի՛ հանձնեք ապրանքը, մի՛ չեղարկեք պատվերը և մի՛ խնդրեք կրկին վճարել։',
  },
  lessReturned: {
    en: 'Kassa payment {id}: only {sum} have really been returned, less than this order shows. A refund has failed after all.',
    ru: 'Платёж Kassa {id}: на самом деле возвращено только {sum}, меньше, чем показывает заказ. Возврат всё же не прошёл.',
    hy: 'Kassa-ի {id} վճարումը․ իրականում վերադարձվել է միայն {sum}, ավելի քիչ, քան ցույց է տալիս պատվերը։ Վերադարձը, այնուամենայնիվ, չի հաջողվել։',
  },
}

/** As Vendure's definitions want a text. */
/** @returns {{ languageCode: any, value: string }[]} */
export const localized = (name) =>
  Object.entries(TEXTS[name]).map(([languageCode, value]) => ({ languageCode, value }))

/** Returns the text in this language, or in English. */
export function say(languageCode, name, values = {}) {
  const text = TEXTS[name][String(languageCode).slice(0, 2)] ?? TEXTS[name].en
  return text.replaceAll(/\{(\w+)\}/g, (_, key) => values[key] ?? '')
}
