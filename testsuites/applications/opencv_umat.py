"""Runs OpenCV functions on cv2.UMat (OpenCL) and on arrays (CPU) and compares. OPENCV_OPENCL_RAISE_ERROR=1 turns a failed
kernel into an exception. Prints a line for each difference, then a summary. Exit 77: OpenCV sees no OpenCL device."""
import sys
import cv2
import numpy as np

if not cv2.ocl.haveOpenCL():
    print("umat: OpenCV finds no OpenCL device")
    sys.exit(77)
cv2.ocl.setUseOpenCL(True)
if not cv2.ocl.useOpenCL():
    print("umat: OpenCV does not use the device")
    sys.exit(77)
device = cv2.ocl.Device_getDefault()
print("device", device.name(), device.version(), "vendor", device.vendorName())
rng = np.random.RandomState(3)
u8 = rng.randint(0, 256, (61, 83)).astype(np.uint8)
u8b = rng.randint(0, 256, (61, 83)).astype(np.uint8)
bgr = rng.randint(0, 256, (61, 83, 3)).astype(np.uint8)
bgra = rng.randint(0, 256, (61, 83, 4)).astype(np.uint8)
f32 = rng.uniform(-4, 4, (61, 83)).astype(np.float32)
f32b = rng.uniform(1, 4, (61, 83)).astype(np.float32)
sq = rng.uniform(-1, 1, (32, 32)).astype(np.float32)
sq2 = rng.uniform(-1, 1, (32, 32)).astype(np.float32)
smooth = cv2.GaussianBlur(u8, (9, 9), 3)
kernel5 = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
affine = np.float32([[0.9, 0.2, 3], [-0.15, 1.1, 2]])
persp = np.float32([[0.9, 0.2, 3], [-0.15, 1.1, 2], [0.001, 0.0005, 1]])
my, mx = np.mgrid[0:61, 0:83].astype(np.float32)
mapx = np.clip(mx + 2 * np.sin(my / 7), 1, 80).astype(np.float32)  # inside: at the edge the two paths round differently
mapy = np.clip(my + 2 * np.cos(mx / 9), 1, 58).astype(np.float32)
hsv = cv2.cvtColor(bgr, cv2.COLOR_BGR2HSV)
templ = u8[20:33, 30:45].copy()

# name, function of arrays or UMats, inputs, tolerance (largest absolute difference)
C = [
    ("add", cv2.add, (u8, u8b), 0), ("subtract", cv2.subtract, (u8, u8b), 0), ("absdiff", cv2.absdiff, (f32, f32b), 0),
    ("multiply", cv2.multiply, (f32, f32b), 1e-5), ("divide", cv2.divide, (f32, f32b), 1e-5),
    ("bitwise_and", cv2.bitwise_and, (u8, u8b), 0), ("bitwise_xor", cv2.bitwise_xor, (u8, u8b), 0),
    ("bitwise_not", cv2.bitwise_not, (u8,), 0), ("min", cv2.min, (u8, u8b), 0), ("max", cv2.max, (f32, f32b), 0),
    ("compare", lambda a, b: cv2.compare(a, b, cv2.CMP_GT), (u8, u8b), 0),
    ("addWeighted", lambda a, b: cv2.addWeighted(a, .3, b, .7, 5), (u8, u8b), 1),
    ("inRange", lambda a: cv2.inRange(a, (20, 30, 40), (200, 210, 220)), (bgr,), 0),
    ("convertScaleAbs", lambda a: cv2.convertScaleAbs(a, None, 1.5, 3), (f32,), 1),
    ("exp", cv2.exp, (f32,), 1e-3), ("log", cv2.log, (f32b,), 1e-4), ("sqrt", cv2.sqrt, (f32b,), 1e-5),
    ("pow", lambda a: cv2.pow(a, 2.5), (f32b,), 1e-3), ("magnitude", cv2.magnitude, (f32, f32b), 1e-4),
    ("phase", lambda a, b: cv2.phase(a, b), (f32, f32b), 1e-2), ("sum", cv2.sumElems, (u8,), 0), ("mean", cv2.mean, (f32,), 1e-4),
    ("norm_L2", lambda a: cv2.norm(a, cv2.NORM_L2), (f32,), 1e-2), ("countNonZero", cv2.countNonZero, (u8,), 0),
    ("minMaxLoc", cv2.minMaxLoc, (f32,), 1e-6), ("meanStdDev", cv2.meanStdDev, (f32,), 1e-4),
    ("reduce", lambda a: cv2.reduce(a, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S), (u8,), 0),
    ("transpose", cv2.transpose, (bgr,), 0), ("flip", lambda a: cv2.flip(a, -1), (bgr,), 0),
    ("repeat", lambda a: cv2.repeat(a, 2, 3), (u8,), 0), ("merge", lambda a, b: cv2.merge([a, b]), (u8, u8b), 0),
    ("split", lambda a: cv2.split(a)[1], (bgr,), 0), ("gemm", lambda a, b: cv2.gemm(a, b, 1.5, None, 0), (sq, sq2), 1e-4),
    ("dft", lambda a: cv2.dft(a, None, cv2.DFT_COMPLEX_OUTPUT), (sq,), 1e-3), ("normalize", lambda a: cv2.normalize(a, None, 0, 255, cv2.NORM_MINMAX), (f32,), 1e-2),
    ("LUT", lambda a: cv2.LUT(a, np.arange(255, -1, -1, dtype=np.uint8)), (u8,), 0),
    ("copyMakeBorder", lambda a: cv2.copyMakeBorder(a, 3, 4, 5, 6, cv2.BORDER_REFLECT_101), (bgr,), 0),
    ("blur", lambda a: cv2.blur(a, (5, 3)), (u8,), 1), ("boxFilter_f", lambda a: cv2.boxFilter(a, -1, (5, 5)), (f32,), 1e-4),
    ("GaussianBlur", lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), (u8,), 1), ("medianBlur", lambda a: cv2.medianBlur(a, 5), (u8,), 0),
    ("bilateral", lambda a: cv2.bilateralFilter(a, 5, 30, 30), (u8,), 1),
    ("filter2D", lambda a: cv2.filter2D(a, cv2.CV_32F, np.float32([[1, 2, 1], [0, 0, 0], [-1, -2, -1]])), (u8,), 1e-3),
    ("sepFilter2D", lambda a: cv2.sepFilter2D(a, cv2.CV_32F, np.float32([1, 2, 1]), np.float32([1, 0, -1])), (u8,), 1e-3),
    ("Sobel", lambda a: cv2.Sobel(a, cv2.CV_16S, 1, 0), (u8,), 0), ("Scharr", lambda a: cv2.Scharr(a, cv2.CV_32F, 0, 1), (u8,), 1e-3),
    ("Laplacian", lambda a: cv2.Laplacian(a, cv2.CV_16S, ksize=3), (u8,), 0), ("erode", lambda a: cv2.erode(a, kernel5), (u8,), 0),
    ("dilate", lambda a: cv2.dilate(a, kernel5), (u8,), 0), ("morph_open", lambda a: cv2.morphologyEx(a, cv2.MORPH_OPEN, kernel5), (u8,), 0),
    ("threshold", lambda a: cv2.threshold(a, 100, 255, cv2.THRESH_BINARY)[1], (u8,), 0),
    ("gray", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), (bgr,), 1), ("hsv", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2HSV), (bgr,), 2),
    ("lab", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2Lab), (bgr,), 2), ("yuv", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2YUV), (bgr,), 1),
    ("hsv2bgr", lambda a: cv2.cvtColor(a, cv2.COLOR_HSV2BGR), (hsv,), 2), ("rgba2gray", lambda a: cv2.cvtColor(a, cv2.COLOR_BGRA2GRAY), (bgra,), 1),
    ("resize_linear", lambda a: cv2.resize(a, (130, 97)), (bgr,), 1), ("resize_area", lambda a: cv2.resize(a, (41, 30), interpolation=cv2.INTER_AREA), (u8,), 1),
    ("resize_nearest", lambda a: cv2.resize(a, (40, 101), interpolation=cv2.INTER_NEAREST), (u8,), 0),
    ("pyrDown", cv2.pyrDown, (u8,), 1), ("pyrUp", cv2.pyrUp, (u8,), 1),
    ("warpAffine", lambda a: cv2.warpAffine(a, affine, (90, 70)), (smooth,), 2),
    ("warpPerspective", lambda a: cv2.warpPerspective(a, persp, (90, 70)), (smooth,), 2),
    ("remap", lambda a: cv2.remap(a, mapx, mapy, cv2.INTER_LINEAR), (smooth,), 2), ("integral", cv2.integral, (u8,), 0),
    ("calcHist", lambda a: cv2.calcHist([a], [0], None, [64], [0, 256]), (u8,), 0), ("equalizeHist", cv2.equalizeHist, (u8,), 0),
    ("CLAHE", lambda a: cv2.createCLAHE(2.0, (4, 4)).apply(a), (u8,), 1),
    ("Canny", lambda a: cv2.Canny(a, 50, 150), (smooth,), 0), ("cornerHarris", lambda a: cv2.cornerHarris(a, 3, 3, .04), (u8,), 1e-4),
    ("matchTemplate", lambda a, t: cv2.matchTemplate(a, t, cv2.TM_SQDIFF), (u8, templ), 64),
    ("accumulate", lambda a, b: cv2.accumulate(a, b), (u8, f32b), 1e-4),
    ("goodFeatures", lambda a: cv2.goodFeaturesToTrack(a, 20, .05, 5), (smooth,), 1.01),
    ("farneback", lambda a, b: cv2.calcOpticalFlowFarneback(a, b, None, .5, 2, 9, 2, 5, 1.1, 0), (smooth, np.roll(smooth, 1, 1)), .2),
]


def plain(v):
    if isinstance(v, cv2.UMat):
        v = v.get()
    if isinstance(v, (tuple, list)):
        return np.concatenate([np.ravel(plain(x)).astype(np.float64) for x in v])
    return np.asarray(v, dtype=np.float64)


bad = 0
for name, function, inputs, tolerance in C:
    try:
        cv2.ocl.setUseOpenCL(False)
        want = plain(function(*[i.copy() for i in inputs]))
        cv2.ocl.setUseOpenCL(True)
        got = plain(function(*[cv2.UMat(i) for i in inputs]))
        cv2.ocl.finish()
        if got.shape != want.shape:
            bad += 1
            print(f"DIFFERS {name}: shape {got.shape} instead of {want.shape}")
        else:
            worst = np.max(np.abs(got - want)) if got.size else 0
            if not worst <= tolerance:
                bad += 1
                print(f"DIFFERS {name}: by {worst:g} at most, allowed {tolerance:g}; {np.count_nonzero(np.abs(got - want) > tolerance)} of {got.size}")
    except (cv2.error, Exception) as e:
        bad += 1
        print(f"ERROR {name}: {str(e).strip().splitlines()[-1][:200]}")
print(f"umat: {len(C) - bad} of {len(C)} functions agree with the CPU, {bad} do not")
sys.exit(1 if bad else 0)
