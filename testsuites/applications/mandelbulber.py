"""mandelbulber.py SCENE MODE: a fractal by mandelbulber2's OpenCL engine and by its own C++ code, compared by pixels.

SCENE is an example that the package installs, or "mandelbulb", what an empty settings file says; MODE is the engine's: limited
or full.  Both engines compute in their own precision, so edges may differ: the mean of all differences must not.
"""
import pathlib
import subprocess
import sys

import cv2

EXAMPLES = pathlib.Path("/usr/share/mandelbulber2/examples")
MODES = {"fast": 1, "limited": 2, "full": 3}
LIMIT = 8  # of 255; another image differs by 30 and more


def render(settings, options):
    image = f"{options[0][-1]}.png"
    done = subprocess.run(["mandelbulber2", "-n", "-C", "-O", "#".join(options), "-r", "48x36", "-f", "png", "-o", image, settings],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    pixels = cv2.imread(image)
    if done.returncode != 0 or pixels is None:
        sys.exit(f"{done.stdout}\nmandelbulber2 ended with {done.returncode} and {'no' if pixels is None else 'an'} image")
    return done.stdout, pixels


scene, mode = sys.argv[1:]
settings = EXAMPLES / f"{scene}.fract"
if scene == "mandelbulb":
    settings = pathlib.Path("scene.fract")
    settings.write_text("# Mandelbulber settings file\n# version 2.20\n# only modified parameters\n[main_parameters]\n")
said, pixels = render(settings, ["opencl_enabled=1", "opencl_platform=0", "opencl_device_type=3", f"opencl_mode={MODES[mode]}"])
if "OpenCl - rendering finished" not in said:
    sys.exit(f"{said}\nmandelbulber2 did not render with OpenCL")
_, wanted = render(settings, ["opencl_enabled=0"])
difference = cv2.absdiff(pixels, wanted).mean()
print(f"mean difference {difference:.2f} of 255; the image has mean {wanted.mean():.1f}")
sys.exit(0 if difference < LIMIT else 1)
