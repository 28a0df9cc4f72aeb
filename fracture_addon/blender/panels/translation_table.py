"""Texts of the panel in other languages: main settings, buttons, hints and sections. All other texts are English.

Blender's own translations come first, for example for Seed and Cancel.
"""

from __future__ import annotations

# Blender's names of the languages, in the order of each row.
LANGUAGES = ("de_DE", "fr_FR", "ja_JP", "zh_HANS", "es")

# Texts of buttons: Blender looks them up as operators.
BUTTONS: dict[str, tuple[str, ...]] = {
    "Shatter": ("Zerbrechen", "Briser", "砕く", "破碎", "Romper"),
    "Clear": ("Löschen", "Effacer", "消去", "清除", "Borrar"),
    "Drop": ("Fallhöhe", "Chute", "落下", "下落", "Caída"),
    "Ball": ("Kugel", "Bille", "球", "球", "Bola"),
    "Impact": ("Stoß", "Impact", "衝撃", "冲击", "Impacto"),
    "Drop It": ("Abwerfen", "Lâcher", "落とす", "摔落", "Soltar"),
    "Hit It": ("Treffen", "Frapper", "ぶつける", "撞击", "Golpear"),
    "Blast It": ("Sprengen", "Exploser", "爆破", "爆破", "Explotar"),
    "Quench It": ("Abschrecken", "Tremper", "急冷", "淬冷", "Enfriar de golpe"),
    "Sing at It": ("Ansingen", "Faire vibrer", "歌で割る", "以声震碎", "Romper con un tono"),
    "Fracture Only": ("Nur zerlegen", "Fracture seule", "破断のみ", "仅破裂", "Solo fracturar"),
    "Preview Break": ("Bruch zeigen", "Voir les fissures", "割れ方を表示", "预览裂纹", "Ver las grietas"),
    "Rough Run": ("Grober Lauf", "Essai rapide", "粗い計算", "粗略运行", "Prueba rápida"),
    "Use Preset's Look": (
        "Aussehen der Vorgabe",
        "Aspect du préréglage",
        "プリセットの外観",
        "使用预设外观",
        "Aspecto del preajuste",
    ),
    "Show Expected Stress": (
        "Erwartete Spannung",
        "Contrainte attendue",
        "予想応力を表示",
        "显示预期应力",
        "Tensión esperada",
    ),
    "Stress Preview": ("Spannungen zeigen", "Aperçu des contraintes", "応力を表示", "预览应力", "Ver las tensiones"),
    "Snap It": ("Knicken", "Rompre net", "折る", "折断", "Partir"),
    "From Lines": ("Aus Linien", "Depuis des lignes", "線から", "从线条", "Desde líneas"),
    "Unjoin": ("Trennen", "Séparer", "結合を解除", "取消连接", "Separar"),
    "Show Joints": ("Fugen zeigen", "Voir les joints", "接合部を表示", "显示接缝", "Ver las juntas"),
    "Variations": ("Varianten", "Variantes", "バリエーション", "变体", "Variantes"),
    "Search Drawn Cracks": (
        "Gezeichnete Risse suchen",
        "Chercher les fissures dessinées",
        "描いた亀裂を探す",
        "搜索绘制的裂纹",
        "Buscar las grietas dibujadas",
    ),
    "Use This": ("Diese verwenden", "Utiliser celle-ci", "これを使う", "使用此项", "Usar esta"),
    "Done Painting": ("Fertig gemalt", "Peinture terminée", "ペイント終了", "完成绘制", "Pintura terminada"),
}

# Texts of labels, settings and panels.
TEXTS: dict[str, tuple[str, ...]] = {
    "Violence": ("Heftigkeit", "Violence", "激しさ", "猛烈程度", "Violencia"),
    "Detail (cells)": ("Detail (Zellen)", "Détail (cellules)", "細かさ (セル)", "细节 (单元)", "Detalle (celdas)"),
    "Break Anyway": ("Auf jeden Fall brechen", "Casser quand même", "必ず割る", "强制破裂", "Romper de todos modos"),
    "gentle": ("sanft", "doux", "弱い", "轻微", "suave"),
    "shattering": ("zerschmetternd", "fracassant", "粉々", "粉碎", "demoledor"),
    "Select an object to break": (
        "Objekt zum Zerbrechen auswählen",
        "Sélectionner un objet à briser",
        "砕くオブジェクトを選択",
        "选择要破碎的物体",
        "Seleccionar un objeto para romper",
    ),
    "Example Scenes": ("Beispielszenen", "Scènes d'exemple", "シーンの例", "示例场景", "Escenas de ejemplo"),
    "Nothing hits it yet": (
        "Noch trifft es nichts",
        "Rien ne le frappe encore",
        "まだ何も当たりません",
        "尚无物体撞击它",
        "Nada lo golpea todavía",
    ),
    "Next: press Shatter": (
        "Weiter: Zerbrechen drücken",
        "Ensuite : appuyer sur Briser",
        "次: 「砕く」を押す",
        "下一步: 按“破碎”",
        "Siguiente: pulsar Romper",
    ),
    "Next: press Drop It, Hit It or Blast It": (
        "Weiter: Abwerfen, Treffen oder Sprengen",
        "Ensuite : Lâcher, Frapper ou Exploser",
        "次: 落とす・ぶつける・爆破",
        "下一步: 按“摔落”、“撞击”或“爆破”",
        "Siguiente: Soltar, Golpear o Explotar",
    ),
    "Next: play the break (Space)": (
        "Weiter: abspielen (Leertaste)",
        "Ensuite : lire la cassure (Espace)",
        "次: 再生する (スペースキー)",
        "下一步: 播放 (空格键)",
        "Siguiente: reproducir (Espacio)",
    ),
    "Next: change Violence, Shatter again": (
        "Weiter: andere Heftigkeit, Zerbrechen",
        "Ensuite : changer Violence, Briser",
        "次: 激しさを変え、もう一度「砕く」",
        "下一步: 更改猛烈程度, 再按“破碎”",
        "Siguiente: otra Violencia y Romper",
    ),
    "Next: drag Exploded View": (
        "Weiter: Explosionsansicht ziehen",
        "Ensuite : glisser Vue éclatée",
        "次: 分解表示をドラッグ",
        "下一步: 拖动“分解视图”",
        "Siguiente: arrastrar Vista explotada",
    ),
    "Exploded View": ("Explosionsansicht", "Vue éclatée", "分解表示", "分解视图", "Vista explotada"),
    "Onion Skins": ("Zwiebelhäute", "Pelures d'oignon", "オニオンスキン", "洋葱皮", "Papel cebolla"),
    "After the Break": ("Nach dem Bruch", "Après la cassure", "割れた後", "破裂之后", "Después de la rotura"),
    "Where It Breaks": ("Wo es bricht", "Où ça casse", "割れる場所", "破裂位置", "Dónde se rompe"),
    "How Pieces Look": (
        "Wie die Stücke aussehen",
        "Aspect des morceaux",
        "破片の見た目",
        "碎片外观",
        "Aspecto de los trozos",
    ),
    "How It Moves": ("Wie es sich bewegt", "Mouvement", "動き", "运动方式", "Cómo se mueve"),
    "Deformable Bodies": ("Verformbare Körper", "Corps déformables", "変形する物体", "可变形体", "Cuerpos deformables"),
    "Preview and Cache": (
        "Vorschau und Cache",
        "Aperçu et cache",
        "プレビューとキャッシュ",
        "预览与缓存",
        "Vista previa y caché",
    ),
    "Variations": ("Varianten", "Variantes", "バリエーション", "变体", "Variantes"),
    "Joined To": ("Verbunden mit", "Joint à", "結合先", "连接到", "Unido a"),
    "Drag its handles in the viewport": (
        "Griffe im Viewport ziehen",
        "Glisser ses poignées dans la vue",
        "ビューポートでハンドルをドラッグ",
        "在视口中拖动手柄",
        "Arrastrar sus asas en la vista",
    ),
    "Then select the object to break": (
        "Dann Objekt zum Zerbrechen auswählen",
        "Puis sélectionner l'objet à briser",
        "次に砕くオブジェクトを選択",
        "然后选择要破碎的物体",
        "Luego seleccionar el objeto a romper",
    ),
    "For materials with grain, as wood": (
        "Für Material mit Faser, wie Holz",
        "Pour matériaux à fibres, comme le bois",
        "木材など木目のある素材用",
        "用于有纹理的材料, 如木材",
        "Para materiales con veta, como madera",
    ),
    "Below 1 nothing breaks": (
        "Unter 1 bricht nichts",
        "Sous 1, rien ne se brise",
        "1未満では何も壊れません",
        "小于1时不会破碎",
        "Por debajo de 1 nada se rompe",
    ),
    "Advanced": ("Erweitert", "Avancé", "詳細設定", "高级", "Avanzado"),
}
