// An expression that returns the visible texts that are smaller than 12.5 px, or whose contrast to their ground is
// below 4.5:1, each with its class, size and contrast.
(() => {
    const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
        .getContext('2d', { willReadFrequently: true });
    const painted = (layers) => {
        pen.clearRect(0, 0, 1, 1);
        for (const [colour, opacity] of layers) {
            pen.globalAlpha = opacity;
            pen.fillStyle = colour;
            pen.fillRect(0, 0, 1, 1);
        }
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (rgb) => {
        const [r, g, b] = rgb.map(it => it / 255)
            .map(it => it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    // The grounds of an element from the back to the front.
    const grounds = (it) => {
        const layers = [];
        for (; it; it = it.parentElement) layers.unshift([getComputedStyle(it).backgroundColor, 1]);
        return layers;
    };
    // The grounds of a text in a drawing, from the back to the front: the bars before it, then its halo.
    const drawn = (text) => {
        const { x, y, width, height } = text.getBoundingClientRect();
        const middle = [x + width / 2, y + height / 2];
        const root = text.closest(':not(svg) > svg');
        const layers = grounds(root.parentElement);
        const under = [...root.querySelectorAll('rect')].filter(it =>
            it.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING);
        for (const it of under) {
            const box = it.getBoundingClientRect();
            const { fill, fillOpacity } = getComputedStyle(it);
            const isUnder = box.left <= middle[0] && box.right >= middle[0]
                && box.top <= middle[1] && box.bottom >= middle[1];
            const isPlain = fill != 'none' && !fill.startsWith('url');
            if (isUnder && isPlain) layers.push([fill, +fillOpacity]);
        }
        const { stroke } = getComputedStyle(text);
        if (stroke != 'none') layers.push([stroke, 1]);
        return layers;
    };
    const faults = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const it = walk.currentNode.parentElement;
        const text = walk.currentNode.data.trim();
        if (!text || it.closest('title, option, script, .visually-hidden')) continue;
        const range = document.createRange();
        range.selectNodeContents(walk.currentNode);
        const box = range.getBoundingClientRect();
        const isVisible = it.checkVisibility({ visibilityProperty: true });
        if (!isVisible || box.width < 2 || box.right < 0) continue;
        const style = getComputedStyle(it);
        const isDrawn = it instanceof SVGElement;
        const layers = isDrawn ? drawn(it) : grounds(it);
        const ink = [isDrawn ? style.fill : style.color, 1];
        const ratio = contrast(painted(layers), painted([...layers, ink]));
        const size = parseFloat(style.fontSize);
        if (size < 12.5 || ratio < 4.5) {
            faults.push([text.slice(0, 24), it.className.baseVal ?? it.className, size, ratio]);
        }
    }
    return faults;
})()
